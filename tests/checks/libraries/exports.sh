#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# exports.sh LIBRARY - the library exports what collector-bridge/exports.txt lists, no more and no
# less, each with its version or without one.
set -eu
library=$1
. "$(dirname "$0")/../tracked.sh"
wanted=$(grep -v '^#' collector-bridge/exports.txt | sort)
require "$wanted"
found=$(nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@@Base$/, "", $3); print $3 }' | sort)
if [ "$wanted" != "$found" ]; then
    echo "collector-bridge/exports.txt:"
    printf '%s\n' "$wanted" | sed 's/^/    /'
    echo "$library:"
    printf '%s\n' "$found" | sed 's/^/    /'
    exit 1
fi
