#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# job_scale.sh BIN FOLDER RANKS...: what merging, the report and the page of so many ranks cost, a row
# for each number. A rank has 20,000 cells of call paths and 64 threads, a megabyte. FOLDER gets as many
# files; the largest number needs as many megabytes. BIN has ompcollect and made-ranks.
set -eu
bin=$1
folder=$2
shift 2
printf '| ranks | files | merge | of it, processor | memory | merged file | report | page |\n'
printf '|---|---|---|---|---|---|---|---|\n'
for ranks in "$@"; do
    rm -rf "$folder/ranks.ompc"
    mkdir -p "$folder/ranks.ompc"
    "$bin/made-ranks" "$folder/ranks.ompc" "$ranks"
    files=$(du -sm "$folder/ranks.ompc" | cut -f1)
    /usr/bin/time -f '%e %U %S %M' -o "$folder/merge" \
        "$bin/ompcollect" merge -o "$folder/job.ompc" "$folder/ranks.ompc"
    /usr/bin/time -f '%e' -o "$folder/report" \
        "$bin/ompcollect" report "$folder/job.ompc" > "$folder/report.txt"
    "$bin/ompcollect" report "$folder/job.ompc" --format html -o "$folder/job.html"
    test "$(wc -l < "$folder/report.txt")" -le 120
    awk -v ranks="$ranks" -v files="$files" -v size="$(wc -c < "$folder/job.ompc")" \
        -v page="$(wc -c < "$folder/job.html")" -v report="$(cat "$folder/report")" \
        '{ printf "| %d | %d MB | %.1f s | %.1f s | %.0f MB | %.1f MB | %.1f s | %.1f MB |\n", ranks, files, $1,
           $2 + $3, $4 / 1024, size / 1e6, report, page / 1e6 }' "$folder/merge"
done
rm -rf "$folder/ranks.ompc"
