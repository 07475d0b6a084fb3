#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# quick.sh BUILDS TARGET - clang builds the library and these unit tests for aarch64, and they run under
# qemu-user, which does not limit the memory of its process.
set -eu
build=$1/aarch64-clang
target=$2
cd "$(dirname "$0")/../.."
cmake --preset aarch64-clang -B "$build"
# Large pages save an eighth of clang's time.
GLIBC_TUNABLES=glibc.malloc.hugetlb=1 nice -n 19 cmake --build "$build" --target omp-collector-bridge "$target"
exec nice -n 19 qemu-aarch64 -L /usr/aarch64-linux-gnu "$build/tests/unit/$target" --gtest_brief=1 \
    --gtest_filter=-LateRegistration.ThreadWithoutMemoryForItsRecordGoesOn
