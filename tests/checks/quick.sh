#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/quick.txt has folders, rooms and labels that there are, and each folder with a CMakeLists.txt
# below tests/. What tests/run.sh --quick selects by it is right for files whose tests are known.
set -eu
cd "$(dirname "$0")/../.."
. tests/quick.sh
failed=0
fail() {
    echo "tests/quick.txt: $*"
    failed=1
}
while read -r folder room label; do
    case $folder in \#*) continue ;; esac
    [ -d "$folder" ] || fail "there is no folder $folder"
    [ "$room" = - ] && continue
    [ -f "tests/$room/CMakeLists.txt" ] || fail "tests/$room is no room of tests"
    grep -rqw --include=CMakeLists.txt -e "$label" "tests/$room" || fail "no test of tests/$room has the label $label"
done <tests/quick.txt
for file in tests/*/CMakeLists.txt; do
    folder=${file%/*}
    grep -q "^$folder " tests/quick.txt || fail "$folder has no row"
done
# expect WANTED FILE...
expect() {
    wanted=$1
    shift
    got=$(printf '%s\n' "$@" | rows_of_changes | tr '\n' ';')
    [ "$got" = "$wanted" ] || fail "of a change of $*: $got and not $wanted"
}
expect "jobs jobs;" compat/ompcollect/job/job_text.cpp
expect "diff report;jobs jobs;report report;scale report;" compat/ompcollect/command/command.cpp
expect "report report;" compat/ompcollect/analysis/losses.cpp compat/ompcollect/screen/verdict.cpp
expect "compat compat;unit unit;" collector-bridge/events/session.cpp tests/compat/programs/plain.c
expect "unit unit;" CMakePresets.json
expect "" README.md docs/JOBS.md
exit $failed
