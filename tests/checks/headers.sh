#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# headers.sh GCC CLANG - the installed headers compile without a warning, each by itself, in every
# standard of C and C++ that the compilers know, from C89 and C++98 on.
set -eu
gcc=$1
clang=$2
. "$(dirname "$0")/tracked.sh"
headers=$(tracked 'include/*.h')
require "$headers"

failures=0
# compile LANGUAGE STANDARD HEADER COMPILER
compile() {
    if ! printf '#include "%s"\n' "$3" | "$4" -std="$2" -x "$1" -Wall -Wextra -Wpedantic -Werror \
        -Wno-unused-function -fsyntax-only -I. -Iinclude -; then
        echo "$3: $4 -std=$2"
        failures=$((failures + 1))
    fi
}
for header in $headers; do
    for compiler in "$gcc" "$clang"; do
        for standard in c89 c99 c11 c17 c2x; do
            compile c "$standard" "$header" "$compiler"
        done
        for standard in c++98 c++03 c++11 c++14 c++17 c++20 c++2b; do
            compile c++ "$standard" "$header" "$compiler"
        done
    done
done
[ "$failures" = 0 ]
