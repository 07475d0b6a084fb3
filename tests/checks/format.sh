#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every C and C++ file is as clang-format 14 leaves it. To repair: clang-format-14 -i FILE.
set -eu
. "$(dirname "$0")/tracked.sh"
files=$(tracked '*.h' '*.c' '*.cpp')
require "$files"
# shellcheck disable=SC2086 # a list of words
clang-format-14 --dry-run -Werror $files
