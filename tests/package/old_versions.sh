#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# old_versions.sh FOLDER - no file below FOLDER, an unpacked archive of ours, needs more than glibc
# 2.28, that of Enterprise Linux 8. Prints the three that need most.
set -eu
baseline=2.28
versions=$(cd "$1" && find . -type f | while read -r file; do
    highest=$(readelf -W --dyn-syms "$file" 2>/dev/null | sed -n 's/.* UND .*@GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -n 1)
    [ -z "$highest" ] || echo "$highest ${file#./}"
done)
echo "$versions" | grep -q 'bin/ompcollect$' || { echo "old_versions.sh: no file was read in $1" >&2; exit 1; }
newer=$(echo "$versions" | while read -r version file; do
    [ "$(printf '%s\n' "$version" $baseline | sort -V | tail -n 1)" = $baseline ] || echo "$version $file"
done)
[ -z "$newer" ] || { printf '%s\nold_versions.sh: these need more than glibc %s\n' "$newer" "$baseline" >&2; exit 1; }
echo "$versions" | sort -V | tail -n 3
