#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# other_machine.sh - builds the library and the replay drivers of the fuzz targets for aarch64 with
# Debian's cross compiler and runs them under qemu-user: every request and every event of the corpus
# and of some thousand inputs more. For `sh tests/run.sh --long`, which installs the packages;
# skipped (77) without them.
set -eu
for tool in aarch64-linux-gnu-g++ qemu-aarch64-static; do
    if ! command -v "$tool" >/dev/null; then
        echo "$tool is not installed"
        exit 77
    fi
done
cd "$(dirname "$0")/../.."
source=$(pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
# gtest is not packaged for the other machine: the drivers do without it.
common="-std=c++20 -O2 -g -D_GNU_SOURCE -ftls-model=initial-exec -fno-threadsafe-statics
-Wall -Wextra -Werror -I include -I collector-bridge -I ompt-backend -I tests/unit/fakes"
for file in collector-bridge/*/*.cpp ompt-backend/*/*.cpp; do
    # shellcheck disable=SC2086 # a list of words
    aarch64-linux-gnu-g++ $common -fno-exceptions -fno-rtti -fPIC -c "$file" \
        -o "$build/$(printf '%s' "$file" | tr / -).o"
done
wrapped="-Wl,--wrap=open -Wl,--wrap=read -Wl,--wrap=close -Wl,--wrap=mmap -Wl,--wrap=syscall"
for target in walk sequence; do
    # shellcheck disable=SC2086
    aarch64-linux-gnu-g++ $common $wrapped -o "$build/replay-$target" "tests/fuzz/${target}_target.cpp" \
        tests/fuzz/system.cpp tests/fuzz/replay.cpp tests/unit/fakes/fake_constructs.cpp tests/unit/fakes/fake_runtime.cpp "$build"/*.o -ldl
    qemu-aarch64-static -L /usr/aarch64-linux-gnu "$build/replay-$target" 20000 \
        "$source/tests/fuzz/corpus/$target.txt"
done
