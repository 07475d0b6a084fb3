#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# newer_compilers.sh BUILD WORK LIBOMP - compilers.sh with the compilers that Debian 12 lacks and
# Debian 13 has, and ways.sh with its CMake, in a Debian 13 that mmdebstrap makes. It sees this tree
# at its own place, and runs the tests that BUILD has made. LIBOMP is a folder in the tree. WORK keeps
# the builds. Needs root, the network, and the package mmdebstrap.
set -eu
build=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")
libomp=$(realpath "$3")
cd "$(dirname "$0")/../.."
command -v mmdebstrap >/dev/null || { echo "mmdebstrap is not installed"; exit 77; }
root=$(mktemp -d /var/tmp/ocb-newer.XXXXXX)
log=$(mktemp)
mounted=
clean_up() {
    for folder in $mounted; do
        umount -l "$root$folder" || true
    done
    rm -f "$log"
    if grep -q " $root/" /proc/self/mounts; then # this tree is still below it
        echo "left as it is: $root"
        return
    fi
    rm -rf --one-file-system "$root"
}
trap clean_up EXIT

mmdebstrap --mode=root --variant=minbase \
    --include=g++-13,g++-14,clang-17,clang-18,libomp-19-dev,cmake,ninja-build,pkg-config,python3,binutils-gold,g++ \
    --include=libcli11-dev,nlohmann-json3-dev,libflatbuffers-dev,flatbuffers-compiler,libprotozero-dev \
    --include=libsqlite3-dev,zlib1g-dev,libdw-dev,libelf-dev,libncurses-dev trixie "$root" >"$log" 2>&1 ||
    { tail -n 20 "$log"; exit 1; }
# What the tests were compiled for, and one reads.
(cd / && find usr/lib/*/libgtest*.a usr/lib/llvm-*/lib/clang -name 'libgtest*' -o -name omp-tools.h) |
    (cd / && xargs cp --parents -t "$root")
for folder in /proc "$PWD" "$build" "$work"; do
    mkdir -p "$root$folder"
    mount --bind "$folder" "$root$folder"
    mounted="$folder $mounted" # the last one is the first to go
done
chroot "$root" sh "$PWD/tests/package/ways.sh" "$build" gcc-14 g++-14 "$libomp"
chroot "$root" sh "$PWD/tests/package/compilers.sh" "$build" "$work" gcc-13 gcc-14 clang-17 clang-18
