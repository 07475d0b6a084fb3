#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tidy.sh BUILD_FOLDER - clang-tidy 14 with the .clang-tidy of this project over the C and C++
# sources that the build compiles; any warning is an error. Options of gcc alone are let pass.
set -eu
build=$(cd "$1" && pwd)
. "$(dirname "$0")/tracked.sh"
top=$(pwd)
files=$(sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$build/compile_commands.json" | sort -u |
    while IFS= read -r file; do
        case $file in
        "$build"/* | *.S) ;;
        "$top"/*) printf '%s\n' "${file#"$top"/}" ;;
        esac
    done)
require "$files"
printf '%s\n' "$files" | xargs -P "$(nproc)" -n 1 \
    clang-tidy-14 -p "$build" --quiet --warnings-as-errors='*' \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-unused-command-line-argument
