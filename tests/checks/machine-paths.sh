#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# No file under version control names a place that exists on one machine only, or a host that
# packages come from. The patterns are put together here so that this file is not a match itself.
set -eu
. "$(dirname "$0")/tracked.sh"
files=$(tracked '*')
require "$files"
slash=/
patterns="${slash}home${slash}[a-z]|${slash}root${slash}|${slash}Users${slash}|${slash}work${slash}"
patterns="$patterns|[a-z0-9.-]*(artifact|registry|mirror|proxy)[a-z0-9-]*\.[a-z0-9.-]+\.[a-z]+"
patterns="$patterns|https?:$slash$slash[a-z0-9.-]*[:@][0-9a-z]"
# shellcheck disable=SC2086 # a list of words
if grep -nIE "(^|[^A-Za-z0-9_.}-])($patterns)" $files | grep -v '^LICENSE:'; then
    echo "the lines above name a machine"
    exit 1
fi
