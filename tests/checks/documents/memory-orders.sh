#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Each file of the traced process that uses atomics stands in docs/MEMORY-ORDERS.md, and no row of
# that document begins with a file that uses none. First the check itself is checked: it must miss a
# file of which the document's lines are taken out.
set -eu
. "$(dirname "$0")/../tracked.sh"
document=docs/MEMORY-ORDERS.md
folders='collector-bridge ompt-backend compat/front compat/libgomp-ompt compat/ompcollect/collector
    compat/ompcollect/preload compat/ompcollect/profile'
# shellcheck disable=SC2086 # a list of words
sources=$(tracked $(printf '%s/* ' $folders) | grep -E '\.(c|cpp|h|S|inc)$')
require "$sources"
# shellcheck disable=SC2086
users=$(grep -lE 'std::(atomic|memory_order)|__atomic_' $sources)
require "$users"

missing_in() {
    for source in $users; do
        grep -qF "\`$source\`" "$1" || echo "$source"
    done
}

copy=$(mktemp)
trap 'rm -f "$copy"' EXIT
planted=compat/ompcollect/collector/session/session.cpp
grep -vF "\`$planted\`" $document >"$copy"
if [ "$(missing_in "$copy")" != "$planted" ]; then
    printf 'without its row %s is to be missed, and no other file; missed are:\n%s\n' \
        "$planted" "$(missing_in "$copy")"
    exit 1
fi

missing=$(missing_in $document)
if [ -n "$missing" ]; then
    printf '%s has no row for these files, which use atomics:\n%s\n' "$document" "$missing"
    exit 1
fi
for named in $(grep -E '^\| `[a-z-]+/' $document | cut -d'|' -f2 | grep -oE '`[^`]+`' | tr -d '`' | sort -u); do
    if ! printf '%s\n' "$users" | grep -qxF "$named"; then
        echo "$document has a row for $named, which uses no atomics"
        exit 1
    fi
done
