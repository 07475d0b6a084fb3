#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What people read has one writer (compat/ompcollect/profile/text_output.h). No other file of
# launcher and reports writes to a descriptor or a standard stream, but for the lines below.
set -eu
. "$(dirname "$0")/tracked.sh"
files=$(tracked 'compat/ompcollect/launcher/*.cpp' 'compat/ompcollect/launcher/*.h' 'compat/ompcollect/report/*.cpp' \
    'compat/ompcollect/report/*.h' 'compat/ompcollect/profile/*.cpp' 'compat/ompcollect/profile/*.h')
require "$files"
# The writer; formats that programs read; the line of progress, which is wiped again.
allowed='profile/text_output\.cpp:.*[ =(]write\(fd_, |report/command\.cpp:.*std::cout(\)| << text|\.flush)|report/progress\.cpp:.*write\(fd_, '
# shellcheck disable=SC2086 # a list of files
if grep -nE 'std::(cout|cerr|clog)|[^a-z_n](fprintf|printf|puts|fputs|putchar|dprintf|perror|vprintf|psignal)\(|[ =(!:]write\((fd|STD|[12],)' \
    $files | grep -vE "$allowed"; then
    echo "^ goes past the one writer for people (compat/ompcollect/report/people.h)"
    exit 1
fi
