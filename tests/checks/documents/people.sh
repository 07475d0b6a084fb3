#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What people read has one writer (compat/ompcollect/base/people.h). No other file of
# launcher and reports writes to a descriptor or a standard stream, but for the lines below.
set -eu
. "$(dirname "$0")/../tracked.sh"
set --
for room in base model analysis screen symbols platform formats job diff scale view command launcher profile; do
    set -- "$@" "compat/ompcollect/$room/*.cpp" "compat/ompcollect/$room/*.h"
done
files=$(tracked "$@")
require "$files"
# The writer; formats that programs read; the line of progress, which is wiped again; the pipe to
# the launcher's own child, and a child without a terminal; where formats are written.
allowed='base/people\.cpp:.*[ =(]write\(fd, |command/command\.cpp:.*std::cout(\)| << text|\.flush)|screen/progress\.cpp:.*write\(fd_, '
allowed="$allowed"'|platform/child_process\.cpp:.*(write\(failure_fd, |open\("/dev/null", )|(command/command|formats/gprofng)\.cpp:.*std::ofstream out\('
allowed="$allowed"'|command/command\.cpp:[0-9]*: *write\(out\);|std::ifstream'
allowed="$allowed"'|command/written_file\.cpp:.*(std::cout|std::ofstream out\()|command/mpi_merge\.cpp:.* send\(mpi, '
allowed="$allowed"'|command/opened_page\.cpp:.*_addopen\(&files, fd, "/dev/null", '
# What the next reading of the folder finds; the program's own input.
allowed="$allowed"'|command/scale_command\.cpp:.*(std::ofstream\(|_addopen\(&actions, STDIN_FILENO, "/dev/null", )'
# The viewer writes by ncurses alone, and its texts are printable.
allowed="$allowed"'|view/curses_terminal\.cpp:.*newterm\(nullptr, stdout, stdin\)'
# Zeros, to know whether there is room.
allowed="$allowed"'|launcher/run_place\.cpp:.*write\(fd, zeros\.data'
# Read back by the reader of the folder.
allowed="$allowed"'|launcher/run_place\.cpp:.*std::ofstream\(.*kNoneSuffix'
stdio='std::(cout|cerr|clog|ofstream|fstream)\>|[(,=] *(stdout|stderr) *[,);]'
functions='(^|[^a-z_n>.])(v?f?printf|v?dprintf|w?printf|f?puts|f?putc|putchar|fwrite|perror|psig(nal|info)|errx|warnx|error)\('
calls='(^|[^a-zA-Z0-9_.>])(p?writev?2?|send|sendfile|splice|fopen|fdopen|popen|syscall)\((fd|STD|SYS_write|[a-z0-9_]+,|[12],)'
# shellcheck disable=SC2086 # a list of files
if grep -nE "$stdio|$functions|$calls|\"/dev/|\"/proc/self/fd" $files | grep -vE "^[^:]*:[0-9]+: *//" |
    grep -vE "$allowed"; then
    echo "^ goes past the one writer for people (compat/ompcollect/base/people.h)"
    exit 1
fi
