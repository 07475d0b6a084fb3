#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# commands.sh BUILD LIBOMP CC CLANG - every command of the documents runs as it is written, or stands
# with its reason in commands_not_run.txt (commands.py). First the checker itself is checked: of a
# broken example it must report each breach that the example announces, and no other.
set -eu
. "$(dirname "$0")/../tracked.sh"

files=$(tracked '*.md' | grep -vE 'tests/(checks/documents/fixtures|bench/results)/|vendor/|CHANGELOG')
require "$files"
example=tests/checks/documents/fixtures/commands.md
# shellcheck disable=SC2086 # a list of words
python3 -B tests/checks/documents/commands.py --example $example "$@" $files
