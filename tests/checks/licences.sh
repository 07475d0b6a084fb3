#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# licences.sh - each file under version control has a licence and a holder of rights, in the way of
# REUSE (.reuse/dep5, LICENSES/), and the code of others is listed with theirs.
set -eu
. "$(dirname "$0")/tracked.sh"
if ! git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    echo "not under version control: reuse would read build/, too"
    exit 77
fi
status=0
report=$(reuse lint 2>&1) || { printf '%s\n' "$report"; status=1; }
cmp LICENSE LICENSES/Apache-2.0.txt || status=1
others=$(tracked '*/vendor/*' | grep -vE '/(README.md|SHA256SUMS|LICENSE[^/]*)$')
require "$others"
for file in $others; do
    grep -qx "Files: $file" .reuse/dep5 || { echo "$file has no row of its own in .reuse/dep5"; status=1; }
done
exit $status
