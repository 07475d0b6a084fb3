#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# quota.sh OMPCOLLECT PROGRAMS: a balanced program of each compiler whose control group has a fifth of a
# processor. Its verdict names that and nothing else. 77: no group can be made here.
set -eu
group=
for folder in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
    if mkdir "$folder/ocb-quota-$$" 2> /dev/null; then
        group=$folder/ocb-quota-$$
        trap 'rmdir "$group"' EXIT
        if echo 100000 > "$group/cpu.cfs_period_us" && echo 20000 > "$group/cpu.cfs_quota_us"; then
            break
        elif echo '20000 100000' > "$group/cpu.max"; then
            break
        fi 2> /dev/null
        rmdir "$group"
        trap - EXIT
        group=
    fi
done
test -n "$group" || exit 77
for compiler in clang gcc; do
    text=$(sh -c 'echo $$ > "$0/cgroup.procs" && exec "$@"' "$group" "$1" --show verdict \
        "$2/$compiler/planted" even 2>&1)
    echo "$text"
    echo "$text" | grep -q '^1\. saves at least .*processor-quota'
    echo "$text" | grep -q 'may use 0\.20 processors, and the kernel'
    test "$(echo "$text" | grep -c '^[1-9]\. ')" -eq 1
done
