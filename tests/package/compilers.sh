#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# compilers.sh BUILD WORK [ROW]... - the libraries and ompcollect as each compiler of Debian makes
# them, without a warning, and the tests that BUILD has made of them: the unit tests linked with that
# compiler's archive, those of loading with its libraries. A program of that compiler is profiled by
# them. Rows whose compiler is not installed are named and left out; with --long tests/run.sh installs
# those of Debian 12, and newer_compilers.sh those of Debian 13. WORK keeps the builds.
set -eu
build=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")
shift 2
cd "$(dirname "$0")/../.."

# name, C compiler, C++ compiler, build type, options of the compiler, options of CMake
rows='
gcc-11      gcc-11   g++-11     RelWithDebInfo -           -
gcc-12-O0   gcc-12   g++-12     None           -O0         -
gcc-12-O1   gcc-12   g++-12     None           -O1         -
gcc-12-O3   gcc-12   g++-12     None           -O3         -
gcc-12-lto  gcc-12   g++-12     RelWithDebInfo -           -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON
gcc-12-hard gcc-12   g++-12     RelWithDebInfo -           -DOCB_HARDEN=ON
clang-14    clang-14 clang++-14 RelWithDebInfo -           -
clang-15    clang-15 clang++-15 RelWithDebInfo -           -
clang-16    clang-16 clang++-16 RelWithDebInfo -           -
clang-19    clang-19 clang++-19 RelWithDebInfo -           -DOCB_HARDEN=ON
clang-19-O3 clang-19 clang++-19 None           -O3         -
gcc-13      gcc-13   g++-13     RelWithDebInfo -           -
gcc-14      gcc-14   g++-14     RelWithDebInfo -           -
clang-17    clang-17 clang++-17 RelWithDebInfo -           -
clang-18    clang-18 clang++-18 RelWithDebInfo -           -
'
quietly() {
    "$@" >"$work/log" 2>&1 || { grep -E -A5 'error|FAILED|Failure' "$work/log" | head -n 40; tail -n 5 "$work/log"; return 1; }
}

# The command that links unit-tests-on-clang, with another archive.
link_unit_tests() {
    ninja -C "$build" -t commands unit-tests-on-clang | tail -n 1 |
        sed "s,[^ ]*/build/clang/lib/libomp-collector-bridge.a,$1,; s,-o [^ ]*unit-tests-on-clang,-o $2,"
}

# How many tests the last program has passed.
passed() {
    sed -n 's/^\[  PASSED  \] \([0-9]*\) tests.*/\1/p' "$work/log" | tail -n 1
}

# profiled FOLDER COMPILER OPTIONS: a region of the compiler's program has its line in the report.
# clang's takes the header of any clang, and runs on its own libomp, or on any.
profiled() {
    libomp=
    header=
    if [ "${2%-*}" = clang ]; then
        libomp=$(ls "$PWD/build/libomp/${2#clang-}"/lib/libomp.so.5 /usr/lib/llvm-*/lib/libomp.so.5 2>/dev/null | head -n 1)
        header=$(ls /usr/lib/llvm-*/lib/clang/*/include/omp.h | head -n 1)
    fi
    # shellcheck disable=SC2086 # lists of words
    "$2" $3 -g -fopenmp ${header:+-idirafter "${header%/*}"} -c tests/compat/programs/ending.c -o "$1/ending.o" || return 1
    if [ -n "$libomp" ]; then
        "$2" "$1/ending.o" "$libomp" -o "$1/ending" || return 1
    else
        "$2" -fopenmp "$1/ending.o" -o "$1/ending" || return 1
    fi
    code=0
    "$1/bin/ompcollect" --all "$1/ending" exit 7 2>"$1/report" || code=$?
    [ $code = 7 ] && grep -q 'ending\.c:' "$1/report" || { echo "exit code $code"; cat "$1/report"; return 1; }
}

row() {
    folder=$work/$1
    flags=
    [ "$5" = - ] || flags=$5
    more=
    [ "$6" = - ] || more=$6
    # shellcheck disable=SC2086 # none, or one
    quietly env CFLAGS="$flags" CXXFLAGS="$flags" cmake -G Ninja -S . -B "$folder" -DCMAKE_C_COMPILER="$2" \
        -DCMAKE_CXX_COMPILER="$3" -DCMAKE_BUILD_TYPE="$4" -DOCB_WARNINGS_AS_ERRORS=ON -DOCB_JOIN_SOURCES=ON \
        -DOCB_BUILD_TESTS=OFF $more || return 1
    # shellcheck disable=SC2086 # a list of words
    quietly cmake --build "$folder" ${OCB_TEST_TARGETS:+--target $OCB_TEST_TARGETS} || return 1
    quietly sh -c "cd '$build' && $(link_unit_tests "$folder/lib/libomp-collector-bridge.a" "$folder/unit-tests")" || return 1
    # How little stack a handler needs is promised of what is optimised.
    left_out=
    [ "$5" != -O0 ] || left_out=SignalSafety.*
    quietly "$folder/unit-tests" --gtest_brief=1 "--gtest_filter=-$left_out" || return 1
    unit=$(passed)
    for library in "$build"/lib/lib*.so*; do
        [ -e "$folder/lib/${library##*/}" ] || ln -s "$library" "$folder/lib/"
    done
    quietly env OCB_TEST_LIBRARIES="$folder/lib" "$build/bin/loading-tests" --gtest_brief=1 || return 1
    loading=$(passed)
    quietly profiled "$folder" "$2" "$flags" || return 1
    [ "$unit" -gt 500 ] && [ "$loading" -gt 100 ] || { echo "$1: too few tests: $unit, $loading"; return 1; }
    echo "$1: built without a warning; $unit unit tests and $loading of loading pass; its program is profiled"
}

status=0
done=0
while read -r name cc cxx type flags more; do
    [ -n "$name" ] || continue
    case " ${*:-$name} " in
    *" $name "*) ;;
    *) continue ;;
    esac
    if ! command -v "$cxx" >/dev/null; then
        echo "$name: $cxx is not installed"
        continue
    fi
    done=$((done + 1))
    row "$name" "$cc" "$cxx" "$type" "$flags" "$more" </dev/null || { echo "$name: FAILED"; status=1; }
done <<END
$rows
END
[ $done -gt 0 ] || { echo "no compiler"; status=1; }
exit $status
