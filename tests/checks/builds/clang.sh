#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# clang.sh BUILD_FOLDER - builds the libraries in the preset clang, warnings being errors, and runs
# the tests of BUILD_FOLDER on them: the unit tests linked with clang's archive, the real programs
# with clang's libraries and no other of ours. The tests themselves are clang's in the preset ci.
# All of it gives way to what else runs: tests with samples may stand beside it.
set -eu
build=$(realpath "$1")
other=$(dirname "$build")/clang
cd "$(dirname "$0")/../../.."
cmake --preset clang -B "$other" -DOCB_BUILD_TESTS=OFF
# Large pages save an eighth of clang's time.
GLIBC_TUNABLES=glibc.malloc.hugetlb=1 nice -n 19 cmake --build "$other" \
    --target omp-collector-bridge omp-collector-bridge-static omp-collector-front libgomp-ompt ompcollect-default ompcollect-preload
# Another compiler must leave nothing to be initialised at run time either.
sh tests/checks/libraries/init-array.sh "$other/lib/libomp-collector-bridge.a"

nice -n 19 cmake --build "$build" --target unit-tests-on-clang
nice -n 19 "$build/tests/unit/unit-tests-on-clang" --gtest_brief

# The tests' own collectors and tools, as they are.
libraries=$other/lib
for library in "$build"/lib/lib*.so; do
    if [ ! -e "$libraries/${library##*/}" ]; then
        ln -s "$library" "$libraries/"
    fi
done
# On the oldest libomp and by gcc in the long form alone.
left_out=*libomp14_*:*_gcc*
if [ -n "${OCB_TEST_LONG:-}" ]; then
    left_out=
fi
for tests in integration client chain; do
    OCB_TEST_LIBRARIES=$libraries nice -n 19 "$build/bin/$tests-tests" --gtest_brief "--gtest_filter=-$left_out"
done
