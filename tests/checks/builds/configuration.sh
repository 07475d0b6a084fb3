#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# configuration.sh PRESET LIBOMP_FOLDER TARGETS LABELS [CMAKE_OPTION...] - configures another preset of
# CMakePresets.json in build/PRESET, builds the targets, warnings being errors, and runs its tests
# with labels that match. compat/, the checks of sources and those of other presets are left to the
# build that called.
# All of it gives way to what else runs: tests with samples may stand beside it.
set -eu
preset=$1
libomp=$2
targets=$3
labels=$4
shift 4
cd "$(dirname "$0")/../../.."
cmake --preset "$preset" -DOCB_TEST_CHECKS=OFF -DOCB_BUILD_COMPAT=OFF "-DOCB_LIBOMP_DIR=$libomp" "$@"
# Large pages save an eighth of clang's time.
# shellcheck disable=SC2086 # a list of words
GLIBC_TUNABLES=glibc.malloc.hugetlb=1 nice -n 19 cmake --build --preset "$preset" --target $targets
nice -n 19 ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --no-label-summary \
    -j "$(nproc)" -L "$labels"
