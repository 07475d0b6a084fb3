#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# two_runtimes.sh OMPCOLLECT PROGRAM FOLDER: both runtimes have a balanced region, and only libgomp's is
# observed. The other's is no serial part, and each output says that it is not observed.
set -eu
file=$3/two-runtimes.ompc
"$1" -o "$file" "$2" > "$file.txt" 2>&1
"$1" report "$file" --show verdict > "$file.txt"
cat "$file.txt"
if grep -q 'serial part' "$file.txt" || grep -q 'No time is lost' "$file.txt"; then
    exit 1
fi
grep -q 'regions of another OpenMP runtime are not observed' "$file.txt"
for format in text json html csv firefox perfetto pprof callgrind; do
    "$1" report "$file" --format $format -o "$file.$format" > /dev/null
    test $format = csv || test $format = pprof || grep -q 'OpenMP runtime are not' "$file.$format"
done
