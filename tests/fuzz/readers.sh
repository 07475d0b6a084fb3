#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# readers.sh COUNT [TARGET...] - the long form of the fuzz targets of launcher and reports: so many
# executions of each under libFuzzer with both sanitizers (preset fuzz), from the corpus in the tree.
# Fails where an input makes one stop; libFuzzer writes the input into build/fuzz/tests/fuzz.
set -eu
cd "$(dirname "$0")/../.."
count=$1
shift
[ $# -gt 0 ] || set -- run profile elf options
cmake --preset fuzz > /dev/null
targets=
for target in "$@"; do
    targets="$targets fuzz-$target replay-$target"
done
# shellcheck disable=SC2086 # a list of words
cmake --build build/fuzz --target $targets
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd build/fuzz/tests/fuzz
for target in "$@"; do
    mkdir "$folder/$target" "$folder/$target-new"
    "./replay-$target" --unpack "../../../../tests/fuzz/corpus/$target.txt" "$folder/$target"
    # Without the power schedule and deep stacks of allocations: a third more executions a second.
    ASAN_OPTIONS=malloc_context_size=4 "./fuzz-$target" -entropic=0 -runs="$count" -max_len=4096 -timeout=20 -rss_limit_mb=4096 -verbosity=0 \
        -print_final_stats=1 "$folder/$target-new" "$folder/$target"
done
