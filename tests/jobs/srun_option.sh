#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# srun_option.sh BUILD PROGRAM - `srun --ompcollect ./program` on the cluster of slurm.sh, with BUILD
# installed in a folder with a space. Words and exit code of the program are its own, all ranks are
# one result, and without the option nothing is different. PROGRAM ends with 7 after `exit 7`.
set -eu
if [ "$1" = on-the-cluster ]; then
    prefix=$2
    program=$3
    cd "$4"
    fail() {
        echo "srun_option.sh: $*" >&2
        cat printed >&2
        exit 1
    }
    code=0
    srun -N2 -n2 "$program" exit 7 > printed 2>&1 || code=$?
    [ $code = 7 ] || fail "without the option: exit code $code"
    grep -q "OpenMP profile" printed && fail "profiled without the option"
    code=0
    # The first ones may still be ending the step of before: then Slurm would take two others.
    srun -N2 -n2 -w "n[0-1]" --ompcollect="-o job.ompc --rate 50" "$program" exit 7 > printed 2>&1 || code=$?
    [ $code = 7 ] || fail "with the option: exit code $code"
    "$prefix/bin/ompcollect" report job.ompc > printed
    grep -q "^== OpenMP profile of a job: .*ending exit 7$" printed || fail "no job, or other words"
    grep -q "2 ranks on 2 hosts (n0, n1)" printed || fail "not two ranks"
    # A word with a space stays one, and the plugin's own variables are nobody's.
    srun -n1 --ompcollect sh -c 'echo "$# $1"; env | grep OMPCOLLECT_STEP' sh "a b" > printed 2>&1 || true
    grep -qx "1 a b" printed || fail "the program has other words"
    grep -q "OMPCOLLECT_STEP" printed && fail "variables of the plugin are left"
    echo "srun_option.sh: all as it should be"
    exit 0
fi

build=$1
program=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/a place"
cmake --install "$build" --prefix "$prefix" --component library > "$work/log"
cmake --install "$build" --prefix "$prefix" --component ompcollect >> "$work/log"
plugin=$(find "$prefix" -name spank_ompcollect.so)
if [ -z "$plugin" ]; then
    echo "built without Slurm's headers: not tested"
    exit 77
fi
# plugstack.conf has no way to write a space.
ln -s "$prefix" "$work/place"
OCB_TEST_SPANK="$work/place${plugin#"$prefix"}" OMP_NUM_THREADS=2 \
    sh "$here/slurm.sh" - - sh "$here/srun_option.sh" on-the-cluster "$prefix" "$program" "$work"
