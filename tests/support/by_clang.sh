#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# by_clang.sh CLANG COMPILER ARGUMENT... - compiles by CLANG what the build would compile by COMPILER,
# a gcc. clang takes 0.6 of its time for files full of templates.
clang=$1
shift 2
# The headers are compiled with an -include of themselves, where clang would find those of before.
case " $* " in
*" -x c++-header "*) rm -f "$(printf '%s' " $*" | sed 's/.* -o \([^ ]*\).*/\1/')" ;;
esac
# Large pages save an eighth of clang's time. In a batch, clang takes another file's variable for one
# that is shadowed; the other presets warn of those within a file. Whether precompiled headers are
# out of date is ninja's to know: CMake writes their list anew each time that it is run.
GLIBC_TUNABLES=glibc.malloc.hugetlb=1 exec "$clang" "$@" -Wno-shadow \
    -Wno-unused-command-line-argument -Xclang -fno-pch-timestamp
