#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build.sh MACHINE - fetches that machine's libraries and builds its preset: libraries, launcher, unit
# tests, and the programs of the other tests. Skipped (77) without its compiler and emulator.
set -eu
machine=$1
for tool in "$machine-linux-gnu-g++" "qemu-$machine-static"; do
    if ! command -v "$tool" >/dev/null; then
        echo "$tool is not installed"
        exit 77
    fi
done
cd "$(dirname "$0")/../.."
sh tests/support/fetch_root.sh "$machine"
cmake --preset "$machine" -DOCB_JOIN_SOURCES=ON
cmake --build --preset "$machine"
