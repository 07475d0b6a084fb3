#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/README.md has a row for every folder of tests, and none for a folder that is not there.
# README.md names what the build looks for and cannot do without, and the presets' generator.
set -eu
. "$(dirname "$0")/../tracked.sh"
folders=$(tracked 'tests/*' 'CMakeLists.txt' | sed -n 's#^\(\./\)*tests/\([^/]*\)/CMakeLists.txt$#\2#p' | sort -u)
require "$folders"
rows=$(sed -n 's/^| `\([a-z-]*\)` |.*/\1/p' tests/README.md | sort)
if [ "$folders" != "$rows" ]; then
    printf 'folders with tests:\n%s\nrows of tests/README.md:\n%s\n' "$folders" "$rows"
    exit 1
fi

# What a build needs stands in cmake/needs.txt. README.md has its packages in one command, and
# docs/INSTALL.md each row; `sh tests/checks/documents/readme.sh --write` makes the rows anew.
packages=$(sh -c '. cmake/needs.sh && needs build launcher' | sort)
require "$packages"
written=$(sed -n '/^## Requirements/,/^## Quick start/p' README.md |
    sed -n '/^apt-get install/,/[^\\]$/p' | tr -s ' \\' '\n' | grep -vx 'apt-get\|install\|' | sort)
if [ "$packages" != "$written" ]; then
    printf 'cmake/needs.txt has these packages for a build:\n%s\nand README.md, Requirements:\n%s\n' "$packages" "$written"
    exit 1
fi
generator=$(sed -n 's/.*"generator": "\([^"]*\)".*/\1/p' CMakePresets.json)
sed -n '/^## Requirements/,/^## Quick start/p' README.md | grep -q "$generator" || { echo "README.md, Requirements: $generator is missing"; exit 1; }
table() {
    echo "| for | Debian package | it gives |"
    echo "|---|---|---|"
    awk -F ' *[|] *' '!/^#/ && NF > 4 {
        kinds["build"] = "every build"; kinds["launcher"] = "`ompcollect`"; kinds["extra"] = "a part that is left out without it"
        kinds["demo"] = "the demo"; kinds["test"] = "the tests"; kinds["long"] = "the long tests"; kinds["bench"] = "the benchmarks"
        package = $4; gsub(/,/, " or ", package); gsub(/[?]/, "", package)
        key = $2 SUBSEP package
        if (!(key in gives)) { order[++count] = key; gives[key] = $5 }
        else if (index(gives[key], $5) == 0) gives[key] = gives[key] ", " $5
        kind[key] = kinds[$2]; packages[key] = package
    } END { for (i = 1; i <= count; i++) print "| " kind[order[i]] " | " packages[order[i]] " | " gives[order[i]] " |" }' cmake/needs.txt
}
begin='<!-- cmake/needs.txt -->'
if [ "${1:-}" = --write ]; then
    table >build/needs-table
    sed -i -e "/^$(printf '%s' "$begin" | sed 's#/#\\/#g')/,/^\$/{/^|/d}" -e "\#^$begin#r build/needs-table" docs/INSTALL.md
fi
if [ "$(sed -n "\#^$begin#,/^\$/p" docs/INSTALL.md | grep '^|')" != "$(table)" ]; then
    echo "docs/INSTALL.md has not the rows of cmake/needs.txt: run sh tests/checks/documents/readme.sh --write"
    exit 1
fi
