#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# high_rate.sh OMPCOLLECT PROGRAM SECONDS FOLDER - runs `PROGRAM SECONDS` under OMPCOLLECT with
# 10,000 samples a second, and writes FOLDER/memory: the seconds, the kilobytes of memory that the
# program has, and those of what the profiler keeps in TMPDIR, a line every ten seconds (every
# second of the first ten). It fails where the program's results are wrong, where the run cannot be
# read, or where memory or files of the last quarter exceed twice those of the second one.
set -eu
ompcollect=$1 program=$2 seconds=$3 folder=$4
rm -rf "$folder"
mkdir -p "$folder/tmp"
TMPDIR=$folder/tmp "$ompcollect" --rate 10000 -o "$folder/run.ompc" "$program" "$seconds" \
    >"$folder/out" 2>"$folder/err" &
launcher=$!
resident() {
    awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status" 2>/dev/null || true
}
kept() {
    du -sk "$folder/tmp" 2>/dev/null | cut -f1
}
begin=$(date +%s)
while kill -0 "$launcher" 2>/dev/null; do
    child=$(cut -d' ' -f1 "/proc/$launcher/task/$launcher/children" 2>/dev/null || true)
    passed=$(($(date +%s) - begin))
    [ -z "$child" ] || echo "$passed $(resident "$child") $(kept)" >>"$folder/memory"
    if [ "$passed" -lt 10 ]; then sleep 1; else sleep 10; fi
done
wait "$launcher" || {
    echo "the program failed:"
    cat "$folder/out" "$folder/err"
    exit 1
}
cat "$folder/out"
grep -q '^right: ' "$folder/out"
"$ompcollect" report "$folder/run.ompc" >"$folder/report"
awk '{ time[NR] = $1; memory[NR] = $2; kept[NR] = $3 }
    function most(values, from, to,    i, result) {
        for (i = from; i <= to; ++i) if (values[i] + 0 > result) result = values[i] + 0
        return result
    }
    END {
        if (NR < 4) { print "too short to be judged"; exit 1 }
        split("memory files", names)
        for (which = 1; which <= 2; ++which) {
            quarter = int(NR / 4)
            for (part = 0; part < 4; ++part) {
                from = 1 + part * quarter
                to = part == 3 ? NR : from + quarter - 1
                top[part] = which == 1 ? most(memory, from, to) : most(kept, from, to)
            }
            printf "%s, most of each quarter of %d s: %d, %d, %d, %d kB\n", names[which], time[NR],
                top[0], top[1], top[2], top[3]
            if (top[3] > 2 * top[1]) failed = 1
        }
        exit failed
    }' "$folder/memory"
