#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run_file.sh BIN FOLDER CELLS [ROUNDS]: what the file of a run of so many cells and four times as many
# samples costs, as a saved run and as an export: processor seconds, medians of ROUNDS (default 5). BIN
# has ompcollect and large-run, of the preset release; FOLDER gets the files. docs/RUN-FILE.md has the table.
set -eu
bin=$1
folder=$2
cells=$3
rounds=${4:-5}

# The middle of each column of standard input.
middle() {
    awk '{ for (i = 1; i <= NF; i++) row[i, NR] = $i; n = NF }
        END { for (i = 1; i <= n; i++) {
            for (a = 1; a <= NR; a++) for (b = a + 1; b <= NR; b++)
                if (row[i, b] + 0 < row[i, a] + 0) { t = row[i, a]; row[i, a] = row[i, b]; row[i, b] = t }
            printf "%s ", row[i, int((NR + 1) / 2)] } print "" }'
}

printf '| file | size | write | more memory | read and check | peak memory | / of the model | report | its memory |\n'
printf '|---|---|---|---|---|---|---|---|---|\n'
for name in run.ompc run.json; do
    file=$folder/$name
    : > "$folder/write"
    : > "$folder/open"
    : > "$folder/report"
    round=0
    while [ $round -lt "$rounds" ]; do
        "$bin/large-run" write "$file" "$cells" >> "$folder/write"
        "$bin/large-run" open "$file" >> "$folder/open"
        /usr/bin/time -a -f '%U %S %M' -o "$folder/report" "$bin/ompcollect" report "$file" > "$folder/text"
        grep -q '^Verdict: ' "$folder/text"
        round=$((round + 1))
    done
    echo "$(middle < "$folder/write") $(middle < "$folder/open") $(middle < "$folder/report")" |
        awk -v name="$name" -v size="$(wc -c < "$file")" \
            '{ printf "| `%s` | %.1f MB | %.2f s | %.0f MB | %.2f s | %.0f MB | %.2f | %.1f s | %.0f MB |\n", name,
               size / 1e6, $1, $2, $3, $4, $4 / $5, $6 + $7, $8 / 1024 }'
    rm -f "$file"
done
