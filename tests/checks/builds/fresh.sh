#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# fresh.sh - the README's way by hand begins in a fresh clone: the preset release can be configured
# there, and everything that its build reads is there or has a rule. Nothing is built.
set -eu
. "$(dirname "$0")/../tracked.sh"
files=$(tracked '*')
require "$files"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '%s\n' "$files" | tar cf - -T - | tar xf - -C "$folder"
cd "$folder"
# What the build around this test was given is not there for somebody who types the two commands.
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_GENERATOR
cmake --preset release >configure 2>&1 || {
    cat configure
    exit 1
}
cd build/release
ninja -t inputs all | sort -u >inputs
ninja -t targets all | sed 's/: [^:]*$//' | sort -u >outputs
require "$(grep -F .cpp inputs)"
# What a command names without saying so to ninja: a runtime's file that tests/run.sh fetches.
ninja -t commands all | grep -oE '[^ "=]*/build/libomp/[^ "]*\.so[^ "]*' | sort -u >fetched || true
comm -23 inputs outputs | sort -u - fetched | while IFS= read -r file; do
    if [ ! -e "$file" ]; then
        echo "$file is needed, and nothing makes it"
        exit 1
    fi
done
