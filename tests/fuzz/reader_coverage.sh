#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# reader_coverage.sh - which lines of each reader the corpus of its fuzz target reaches, with no
# random inputs (coverage.sh does it for the request walk): replay drivers with clang-14's coverage,
# counted by llvm-cov-14. Prints a row for each reader. Fails where it is less than 90 % of a file.
set -eu
cd "$(dirname "$0")/../.."
build=build/coverage
cmake --preset fuzz -B "$build" -D OCB_FUZZ=OFF -D OCB_SANITIZE= -D CMAKE_CXX_FLAGS_DEBUG="-g -O1" \
    -D CMAKE_CXX_FLAGS="-fprofile-instr-generate -fcoverage-mapping" > /dev/null
cmake --build "$build" --target replay-run replay-profile replay-elf replay-options > /dev/null
readers="run      formats/run_reader.cpp model/run_check.cpp model/ranges.cpp
profile  model/live_tables.cpp model/live_reader.cpp model/run_check.cpp
elf      platform/elf_file.cpp platform/needed_libraries.cpp symbols/symbol_names.cpp
elf      symbols/source_lines.cpp symbols/debug_units.cpp symbols/symbol_index.cpp
options  launcher/options.cpp command/command_options.cpp
"
for target in run profile elf options; do
    LLVM_PROFILE_FILE="$build/$target.raw" \
        "$build/tests/fuzz/replay-$target" 0 "tests/fuzz/corpus/$target.txt" > /dev/null
    llvm-profdata-14 merge -o "$build/$target.data" "$build/$target.raw"
    llvm-cov-14 export -summary-only "$build/tests/fuzz/replay-$target" \
        -instr-profile="$build/$target.data" > "$build/$target.json"
done
printf '%s' "$readers" | while read -r target files; do
    # shellcheck disable=SC2086 # a list of words
    python3 - "$build/$target.json" "$target" $files << 'END'
import json, os, sys
name, target, files = sys.argv[1], sys.argv[2], sys.argv[3:]
with open(name) as file:
    all_files = {os.path.relpath(one["filename"]): one["summary"]["lines"]
                 for one in json.load(file)["data"][0]["files"]}
for one in files:
    lines = all_files["compat/ompcollect/" + one]
    print("| `%s` | `%s` | %d of %d | %.1f %% |"
          % (target, one, lines["covered"], lines["count"], lines["percent"]))
END
done > "$build/table"
cat "$build/table"
awk -F '|' '{ split($4, n, " "); if (n[1] < 0.9 * n[3]) { print "too few:" $0; bad = 1 } }
    END { exit bad || NR != 14 }' "$build/table"
