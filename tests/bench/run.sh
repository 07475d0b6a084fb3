#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Measures what the bridge costs: `sh tests/bench/run.sh [--quick]`. As root:
# installs what is missing, fetches libomp 14 and 19 if they are not there, builds the preset
# release, measures everything in one interleaved run and prints the tables. The full run (some
# minutes) also writes them to tests/bench/results/ and docs/PERFORMANCE.md; --quick takes fewer
# rounds and writes nothing. --only SECTION measures one of requests, states, events, scale, front,
# memory, paths, overhead and whole. OCB_BENCH_LULESH: a folder with LULESH's sources, for whole.
# OCB_BENCH_BUILD: a build folder to use as it is.
set -eu

cd "$(dirname "$0")/../.."

say() {
    printf 'tests/bench/run.sh: %s\n' "$*"
}
. tests/fetch.sh
install_all build launcher test bench
for version in 14 19; do
    fetch_libomp "$version"
done

build=${OCB_BENCH_BUILD:-}
if [ -z "$build" ]; then
    build=build/release
    cmake --preset release -DOCB_BUILD_TESTS=ON
    cmake --build --preset release --target omp-collector-bridge omp-collector-front ocb-bench-tool \
        ocb-bench-collector ocb-bench-programs ocb-bench-requests ocb-bench-states ompcollect ompcollect-default \
        ompcollect-preload libgomp-ompt
fi
exec python3 -B tests/bench/measure.py --build "$build" "$@"
