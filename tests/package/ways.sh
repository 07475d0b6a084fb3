#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ways.sh BUILD CC CXX LIBOMP - every way by which a CMake project of somebody else's gets the library,
# each built and run, shared and static: an installation that DESTDIR has staged and that was moved
# since, the sources in a folder of the project, and an archive that FetchContent fetches.
set -eu
build=$1
cc=$2
cxx=$3
libomp=$4
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../checks/tracked.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quietly() {
    "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; echo "ways.sh: failed: $*"; exit 1; }
}

# from NAME OPTION: configures, builds and runs; the library is found as CMake has linked it.
from() {
    name=$1
    shift
    quietly cmake -G Ninja -S "$here/consumer" -B "$work/$name" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" "$@"
    quietly cmake --build "$work/$name"
    shared=$("$work/$name/consumer")
    [ "$shared" = "START OK, a thread in SERIAL, STOP OK" ] || { echo "$name: '$shared'"; exit 1; }
    # gcc's program, on libomp: libgomp has no OMPT of its own.
    static=$(OMP_NUM_THREADS=2 LD_LIBRARY_PATH=$libomp LD_PRELOAD=libomp.so.5 "$work/$name/inside")
    printf '%s\n' "$static" | grep -q '^ *1 FORK$' || { echo "$name: '$static'"; exit 1; }
    if readelf -d "$work/$name/inside" | grep -q 'NEEDED.*collector-bridge'; then
        echo "$name: the static library was asked for, and the shared one linked"
        exit 1
    fi
    echo "$name: works"
}

quietly env DESTDIR="$work/stage" cmake --install "$build" --prefix /opt/bridge
mv "$work/stage/opt/bridge" "$work/a place"
from moved -DCMAKE_PREFIX_PATH="$work/a place"
from inside -DOCB_SOURCES="$PWD"
mkdir "$work/archive"
tracked '*' | tar --transform 's,^,omp-collector-bridge/,' -czf "$work/archive/sources.tar.gz" -T -
from fetched -DOCB_ARCHIVE="file://$work/archive/sources.tar.gz"
cmake --version | head -n 1
