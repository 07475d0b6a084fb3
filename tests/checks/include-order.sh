#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Includes go downwards only (ARCHITECTURE.md): each folder includes itself and what its row below
# names; and no file includes itself by way of others. To see it fail: include tracker/tracker.h in
# a file of collector-bridge/records/.
set -eu
. "$(dirname "$0")/tracked.sh"
files=$(tracked 'collector-bridge/*.h' 'collector-bridge/*.cpp' 'ompt-backend/*.h' 'ompt-backend/*.cpp' \
    'compat/*.h' 'compat/*.c' 'compat/*.cpp' 'include/*.h')
require "$files"

# folder: what it may include besides itself
core=collector-bridge
facts="include $core $core/base $core/tracker"
backend="ompt-backend ompt-backend/attachment ompt-backend/multiplex ompt-backend/ompt5 ompt-backend/tr6 ompt-backend/tr2"
allowed="
include:
$core: include $core/base
$core/base: include
$core/records: include $core $core/base
$core/events: include $core $core/base $core/records
$core/tracker: include $core $core/base $core/records $core/events
$core/requests: include $core $core/base $core/records $core/events $core/tracker
ompt-backend/spec:
compat: include ompt-backend/spec $core/base
"
for folder in $backend; do
    allowed="$allowed
$folder: $facts $backend ompt-backend/spec"
done

edges=$(
    # shellcheck disable=SC2086 # a list of words
    awk -v allowed="$allowed" '
        function folder_of(path) {
            if (path !~ /^(collector-bridge|ompt-backend|include)\//)
                return path ~ /^compat\// ? "compat" : ""
            sub(/\/[^\/]*$/, "", path)
            return path
        }
        function exists(path, line) {
            if (!(path in known))
                known[path] = (getline line < path) >= 0
            close(path)
            return known[path]
        }
        # As the compiler looks: beside the file, then in the folders that the build names.
        function found(name, from, i, path) {
            sub(/[^\/]*$/, "", from)
            places[1] = from
            places[2] = "collector-bridge/"
            places[3] = "ompt-backend/"
            places[4] = "include/"
            for (i = 1; i <= 4; ++i)
                if (exists(path = places[i] name))
                    return path
            return ""
        }
        BEGIN {
            rows = split(allowed, row, "\n")
            for (r = 1; r <= rows; ++r) {
                words = split(row[r], word, /[: ]+/)
                for (w = 2; w <= words; ++w)
                    may[word[1], word[w]] = 1
                if (words > 0)
                    has_row[word[1]] = 1
            }
        }
        /^#include "/ {
            split($0, part, "\"")
            to = found(part[2], FILENAME)
            if (to == "")
                next
            print FILENAME, to
            above = folder_of(FILENAME)
            below = folder_of(to)
            if (above != below && has_row[above] && !((above, below) in may)) {
                print FILENAME ":" FNR ": " above " may not include " to >"/dev/stderr"
                wrong = 1
            }
        }
        END { exit wrong }' $files
)
require "$edges"
printf '%s\n' "$edges" | tsort >/dev/null
# The backend goes through tracker.h: a thread's record is not its matter.
# shellcheck disable=SC2046 # a list of words
if grep -nE 'own_record|ThreadRecord|ImplicitTask' $(tracked 'ompt-backend/*.h' 'ompt-backend/*.cpp'); then
    echo "ompt-backend/ may not touch a thread's record"
    exit 1
fi
