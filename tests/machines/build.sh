#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build.sh MACHINE - fetches that machine's libraries and builds its preset: libraries, launcher, unit
# tests, and the programs of the other tests. Without its compiler or emulator the file `skipped` in
# the build's folder has the reason, which the tests on that machine read (where_built.sh).
set -eu
machine=$1
cd "$(dirname "$0")/../.."
build=build/$machine
case $machine in
ppc64le) compiler=powerpc64le-linux-gnu-g++ ;;
*) compiler=$machine-linux-gnu-g++ ;;
esac
mkdir -p "$build"
rm -f "$build/skipped"
for tool in "$compiler" "qemu-$machine-static"; do
    if ! command -v "$tool" >/dev/null; then
        echo "$tool is not installed" | tee "$build/skipped"
        exit 77
    fi
done
if [ "$machine" != riscv64 ]; then # Debian 12 has no packages for it
    sh tests/support/fetch_root.sh "$machine"
fi
cmake --preset "$machine" -DOCB_BUILD_TESTS=ON
cmake --build --preset "$machine"
