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

# What cmake looks for, by the name that a reader knows; benchmark is looked for and not needed.
makefiles=$(tracked '*CMakeLists.txt' '*.cmake' | grep -v '^tests/package/consumer/')
require "$makefiles"
# shellcheck disable=SC2086 # a list of words
wanted=$(sed -n 's/.*find_package(\([A-Za-z0-9_]*\).*/\1/p
    s/.*find_library(LIB[A-Z]*_LIBRARY \([a-z]*\)).*/lib\1/p
    s/.*find_program([A-Z_]* \(NAMES \)\?\([a-z+]*\).*/\2/p' $makefiles | sort -u)
require "$wanted"
requirements=$(sed -n '/^## Requirements/,/^## Quick start/p' README.md)
for name in $wanted $(sed -n 's/.*"generator": "\([^"]*\)".*/\1/p' CMakePresets.json); do
    case $name in
    GTest) name=GoogleTest ;;
    nlohmann_json) name=nlohmann-json ;;
    ZLIB) name=zlib ;;
    g++ | objcopy) name=gcc ;; # they come with it
    Threads | benchmark | flang) continue ;;
    esac
    case $requirements in
    *"$name"*) ;;
    *)
        echo "README.md, Requirements: $name is missing"
        exit 1
        ;;
    esac
done
