#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every document under version control keeps the rules of documents.py. First the checker itself is
# checked: of a broken example it must report each breach that the example announces, and no other.
set -eu
. "$(dirname "$0")/../tracked.sh"

example=tests/checks/documents/fixtures/broken.md
# Lines "<!-- breach: RULE -->" stand before the line, or the paragraph, that breaks the rule.
announced=$(awk '/^<!-- breach: / { rule = $3; next } rule && NF { print FILENAME ":" FNR ": " rule; rule = "" }' $example)
require "$announced"
reported=$(python3 -B tests/checks/documents/documents.py $example | awk -F: '{ print $1 ":" $2 ":" $3 }') || true
if [ "$announced" != "$reported" ]; then
    printf 'of %s these breaches are announced:\n%s\nand these reported:\n%s\n' \
        "$example" "$announced" "$reported"
    exit 1
fi

files=$(tracked '*.md' | grep -v 'tests/checks/documents/fixtures/')
require "$files"
# shellcheck disable=SC2086 # a list of words
python3 -B tests/checks/documents/documents.py $files
