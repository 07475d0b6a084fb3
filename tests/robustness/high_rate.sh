#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# high_rate.sh OMPCOLLECT PROGRAM SECONDS FOLDER - runs `PROGRAM SECONDS` under OMPCOLLECT with
# 10,000 samples a second. FOLDER/memory gets a line every ten seconds (every second of the first
# ten): the seconds, the kilobytes of the program's memory, and those of what the profiler keeps in
# TMPDIR. It fails where the program's results are wrong, where the run cannot be read, or where
# memory or files are larger than what the documents allow.
set -eu
ompcollect=$1 program=$2 seconds=$3 folder=$4
most_kilobytes=131072 # 96 MB of samples, the tables, and the program's own
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
if grep 'samples a second are asked for' "$folder/err"; then
    exit 77 # this machine has no such rate
fi
"$ompcollect" report --all "$folder/run.ompc" >"$folder/report"
grep -q '10000 a second per thread' "$folder/report"
awk -v most="$most_kilobytes" '
    { part = int((NR - 1) * 4 / lines) }
    $2 > memory[part] { memory[part] = $2 }
    $3 > files[part] { files[part] = $3 }
    END {
        if (NR == 0) { print "nothing was seen"; exit 1 }
        printf "most of each quarter, kB: memory %d, %d, %d, %d; files %d, %d, %d, %d\n",
            memory[0], memory[1], memory[2], memory[3], files[0], files[1], files[2], files[3]
        for (part in memory) if (memory[part] > most || files[part] > most) failed = 1
        exit failed
    }' lines="$(wc -l <"$folder/memory")" "$folder/memory"
