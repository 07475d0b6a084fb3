#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every source file names its license in one of its first three lines.
set -eu
. "$(dirname "$0")/tracked.sh"
files=$(tracked '*.h' '*.c' '*.cpp' '*.sh' '*.cmake' 'CMakeLists.txt' '*/CMakeLists.txt' '.ci/run')
require "$files"
# shellcheck disable=SC2086 # a list of files
named=$(awk 'FNR <= 3 && /SPDX-License-Identifier[:] Apache-2\.0$/ { print FILENAME }' $files)
if printf '%s\n' "$files" | grep -vxF "$named"; then
    echo "^ no license line"
    exit 1
fi
