#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Measures what the bridge costs: `sh tests/bench/run.sh [--quick]`. Made for Debian 12 as root:
# installs what is missing, fetches libomp 14 and 19 if they are not there, builds the preset
# release, measures everything in one interleaved run and prints the tables. The full run (some
# minutes) also writes them to tests/bench/results/ and docs/PERFORMANCE.md; --quick takes fewer
# rounds and writes nothing. --only SECTION measures one of requests, states, events, scale, front,
# memory, paths, overhead and whole. OCB_BENCH_LULESH: a folder with LULESH's sources, for whole.
# OCB_BENCH_BUILD: a build folder to use as it is.
set -eu

cd "$(dirname "$0")/../.."

packages="cmake ninja-build g++ clang-14 libomp-14-dev libgtest-dev libgmock-dev libcli11-dev libdw-dev libelf-dev
pkg-config valgrind libbenchmark-dev python3 nlohmann-json3-dev libflatbuffers-dev flatbuffers-compiler libprotozero-dev libsqlite3-dev zlib1g-dev binutils linux-perf clustalo iqtree cp2k"
missing=
for package in $packages; do
    if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
        missing="$missing $package"
    fi
done
fetch_lists() {
    if [ -z "${lists_fetched:-}" ]; then
        apt-get -q update
        lists_fetched=yes
    fi
}
if [ -n "$missing" ]; then
    printf 'tests/bench/run.sh: installing:%s\n' "$missing"
    fetch_lists
    # shellcheck disable=SC2086 # a list of words
    DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends $missing
fi
for version in 14 19; do
    target=build/libomp/$version
    if [ ! -f "$target/lib/libomp.so.5" ]; then
        fetch_lists
        mkdir -p "$target.partial/lib"
        (cd "$target.partial" && apt-get -q -o APT::Sandbox::User=root download "libomp5-$version")
        dpkg -x "$target.partial"/libomp5-"$version"_*.deb "$target.partial/package"
        cp "$target.partial/package/usr/lib/llvm-$version/lib/libomp.so.5" "$target.partial/lib/"
        rm -rf "$target.partial/package" "$target.partial"/*.deb
        mkdir -p "$target" && mv "$target.partial/lib" "$target/lib" && rmdir "$target.partial"
    fi
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
