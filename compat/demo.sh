#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds the project and profiles two programs: clustalo from Debian, built by gcc for libgomp, and
# demo-proportions, built by clang for libomp, which says what its profile should look like. Made for
# Debian 12 as root on a machine with nothing prepared: installs the packages that are missing and
# says which. What is there already is neither installed nor built again.
set -eu

cd "$(dirname "$0")/.."

packages="cmake ninja-build g++ clang-14 libomp-14-dev libcli11-dev nlohmann-json3-dev libflatbuffers-dev flatbuffers-compiler libprotozero-dev libsqlite3-dev zlib1g-dev libdw-dev libelf-dev libncurses-dev clustalo"

say() {
    printf 'demo.sh: %s\n' "$*"
}

missing=
for package in $packages; do
    if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
        missing="$missing $package"
    fi
done
if [ -n "$missing" ]; then
    if [ "$(id -u)" -ne 0 ]; then
        say "these packages are missing:$missing"
        say "run this as root, or have them installed"
        exit 1
    fi
    say "installing:$missing"
    apt-get -q update
    # shellcheck disable=SC2086 # a list of words
    DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-remove install --no-install-recommends $missing
fi

# The demo needs no tests, but shares its folder with those who do: they stay where they can be.
tests=OFF
if [ -f /usr/include/gtest/gtest.h ]; then
    tests=ON
fi
say "building in build/release"
cmake --preset release -DOCB_BUILD_TESTS=$tests >/dev/null
cmake --build build/release --target ompcollect demo-proportions

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

say "clustalo aligns 60 protein sequences on two threads"
sh compat/ompcollect/demo/make_fasta.sh >"$work/proteins.fa"
build/release/bin/ompcollect -- \
    clustalo --threads=2 --force --infile="$work/proteins.fa" --outfile="$work/aligned.fa"
say "$(grep -c '^>' "$work/aligned.fa") sequences aligned"

say "demo-proportions, whose shares are known"
KMP_FORCE_REDUCTION=critical build/release/bin/ompcollect -- build/release/bin/demo-proportions
