#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# subjects.sh: the subject of a commit has at most 72 characters. Those from before this check stay as
# they are. To see it fail: subjects.sh COMMIT begins behind that commit.
set -eu
cd "$(dirname "$0")/../.."
if ! git rev-parse --git-dir > /dev/null 2>&1; then
    echo "no history here: not checked"
    exit 77
fi
first=${1:-$(git log --diff-filter=A --format=%H -- tests/checks/subjects.sh | tail -n 1)}
if [ -z "$first" ]; then
    echo "the history does not reach back to this check: not checked"
    exit 77
fi
long=$(git log --no-merges --format='%h %s' "$first.." | awk '{ hash = $1; sub(/^[^ ]* /, "") } length($0) > 72 { print hash ": " $0 }')
if [ -n "$long" ]; then
    echo "subjects of more than 72 characters:"
    echo "$long"
    exit 1
fi
