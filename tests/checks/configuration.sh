#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# configuration.sh PRESET LIBOMP_FOLDER LABELS [CMAKE_OPTION...] - configures and builds another
# preset of CMakePresets.json in build/PRESET, warnings being errors, and runs its tests with labels
# that match. The checks of sources and of other presets are left to the build that called.
set -eu
preset=$1
libomp=$2
labels=$3
shift 3
cd "$(dirname "$0")/../.."
cmake --preset "$preset" -DOCB_TEST_CHECKS=OFF "-DOCB_LIBOMP_DIR=$libomp" "$@"
cmake --build --preset "$preset"
ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --no-label-summary \
    -j "$(nproc)" -L "$labels"
