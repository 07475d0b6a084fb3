#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every source file names its license in one of its first three lines.
set -eu
. "$(dirname "$0")/tracked.sh"
files=$(tracked '*.h' '*.c' '*.cpp' '*.sh' '*.cmake' 'CMakeLists.txt' '*/CMakeLists.txt' '.ci/run')
require "$files"
status=0
for file in $files; do
    if ! head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0$'; then
        echo "$file: no license line"
        status=1
    fi
done
exit $status
