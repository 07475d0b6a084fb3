#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/README.md has a row for every folder of tests, and none for a folder that is not there.
set -eu
. "$(dirname "$0")/tracked.sh"
folders=$(tracked 'tests/*' 'CMakeLists.txt' | sed -n 's#^\(\./\)*tests/\([^/]*\)/CMakeLists.txt$#\2#p' | sort -u)
require "$folders"
rows=$(sed -n 's/^| `\([a-z-]*\)` |.*/\1/p' tests/README.md | sort)
if [ "$folders" != "$rows" ]; then
    printf 'folders with tests:\n%s\nrows of tests/README.md:\n%s\n' "$folders" "$rows"
    exit 1
fi
