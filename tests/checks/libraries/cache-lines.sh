#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# cache-lines.sh LIBRARY - what every event reads and what many threads write lies on cache lines of
# its own: the variables begin on a line and fill it. To see it fail: take the alignas off one, or
# rename it.
set -eu
library=$1
for variable in delivery_state acquisitions counters task_ids_dealt; do
    found=$(nm -S -C --defined-only "$library" | awk -v name="::$variable" '
        NF >= 4 && substr($0, length($0) - length(name) + 1) == name { print $1, $2 }')
    if [ -z "$found" ]; then
        echo "$library has no symbol $variable"
        exit 1
    fi
    printf '%s\n' "$found" | while read -r address size; do
        case $address in
        *[048c]0) ;;
        *)
            echo "$variable lies at $address: not at the beginning of a cache line"
            exit 1
            ;;
        esac
        case $size in
        *[048c]0) ;;
        *)
            echo "$variable has $size bytes: others share its last cache line"
            exit 1
            ;;
        esac
    done
done
