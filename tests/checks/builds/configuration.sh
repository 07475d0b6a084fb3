#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# configuration.sh BUILDS PRESET LIBOMP_FOLDER TARGETS LABELS [CMAKE_OPTION...] - configures another preset of
# CMakePresets.json in BUILDS/PRESET, builds the targets, warnings being errors, and runs its tests
# with labels that match. compat/, the checks of sources and those of other presets are left to the
# build that called.
# All of it gives way to what else runs: tests with samples may stand beside it.
set -eu
build=$1/$2
preset=$2
libomp=$3
targets=$4
labels=$5
shift 5
cd "$(dirname "$0")/../../.."
cmake --preset "$preset" -B "$build" -DOCB_TEST_CHECKS=OFF -DOCB_BUILD_COMPAT=OFF "-DOCB_LIBOMP_DIR=$libomp" "$@"
# Large pages save an eighth of clang's time.
# shellcheck disable=SC2086 # a list of words
GLIBC_TUNABLES=glibc.malloc.hugetlb=1 nice -n 19 cmake --build "$build" --target $targets
nice -n 19 ctest --test-dir "$build" --output-on-failure --no-tests=error --no-label-summary \
    -j "$(nproc)" -L "$labels"
