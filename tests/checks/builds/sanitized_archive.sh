#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# sanitized_archive.sh BUILD_FOLDER - builds the library in the preset asan, with the address and the
# undefined-behaviour sanitizer, and runs the tests of BUILD_FOLDER on it: unit tests, replays of
# clients, and the short form of two fuzz targets. The tests are linked anew and compiled no second
# time; what the sanitizers see is the library. config.asan (--long) compiles them, too.
# All of it gives way to what else runs: tests with samples may stand beside it.
set -eu
build=$(realpath "$1")
other=$(dirname "$build")/asan
cd "$(dirname "$0")/../../.."
cmake --preset asan -B "$other" -DOCB_BUILD_TESTS=OFF -DOCB_BUILD_COMPAT=OFF -DOCB_SANITIZE=address,undefined
# Large pages save an eighth of clang's time.
GLIBC_TUNABLES=glibc.malloc.hugetlb=1 nice -n 19 cmake --build "$other" --target omp-collector-bridge-static
nm "$other"/lib/libomp-collector-bridge.a 2>/dev/null | grep -q __asan_report_load || {
    echo "the archive has no sanitizer in it"
    exit 1
}
nice -n 19 cmake --build "$build" --target \
    link-unit-tests-sanitized link-replay-tests-sanitized link-replay-walk-sanitized link-replay-sequence-sanitized

# Half of them in a process, for two processors. Those in which threads meet at random take seconds
# each, and are config.tsan's.
for part in 0 1; do
    GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=$part nice -n 19 "$build/tests/unit/unit-tests-sanitized" \
        --gtest_brief --gtest_filter='-Concurrency.*:Litmus.*' &
    parts="${parts:-} $!"
done
for part in $parts; do
    wait "$part"
done
nice -n 19 "$build/tests/clients/replay-tests-sanitized" --gtest_brief
for target in walk sequence; do
    nice -n 19 "$build/tests/fuzz/replay-$target-sanitized" 20000 "tests/fuzz/corpus/$target.txt"
done
