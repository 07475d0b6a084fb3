#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: Apache-2.0
#
# init.sh - the first process of the machine that kernel.sh boots. What it prints is looked at by
# kernel.py: sections, each behind a line "== NAME".
/bin/busybox --install -s /bin
export PATH=/bin LD_LIBRARY_PATH=/lib HOME=/tmp
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
cd /tmp || poweroff -f

echo "== kernel"
uname -a

echo "== unit"
# Those that read documents of the sources are not of this machine.
/programs/unit-tests "--gtest_filter=-Tables.GuideLists*:Tables.Readme*:GenerationDocument.*" > unit 2>&1
echo "exit code $?"
grep -e FAILED -e PASSED unit

for program in gcc gcc-signed clang-signed; do
    echo "== $program report"
    ompcollect -o "$program.ompc" --show verdict,states,regions,paths,events "/programs/$program"
    echo "exit code $?"
    echo "== $program paths"
    ompcollect report --format collapsed "$program.ompc"
done

# At a rate above the kernel's tick: perf events.
echo "== fast report"
ompcollect --rate 2000 -o fast.ompc --show states,events /programs/gcc
echo "exit code $?"
echo "== fast paths"
ompcollect report --format collapsed fast.ompc

# What calls that sleep return must not depend on who samples. This kernel counts the time of a
# socket in ticks of 4 ms, and may end it early by itself.
without_early() {
    sed 's/^\(recv .*\) too early$/\1/'
}
for program in gcc clang; do
    echo "== sleeps $program"
    "/programs/sleeps-$program" > output
    without_early < output > alone
    ompcollect -o sleeps.ompc "/programs/sleeps-$program" > output 2> report
    echo "exit code $?"
    without_early < output > profiled
    wc -l < alone
    diff alone profiled && echo "the same"
done
echo "== end"
poweroff -f
