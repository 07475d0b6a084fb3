#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# coverage.sh - which lines and branches of the request walk the corpus reaches, with no random
# inputs: the library and the replay driver built with clang-14's coverage, the report of llvm-cov-14
# on api.cpp, record_view.h and code_address.cpp. Fails where a line or a side of
# a branch of the first two is not reached (the third has a switch over all there is, without default).
set -eu
cd "$(dirname "$0")/../.."
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
wrapped="-Wl,--wrap=open -Wl,--wrap=read -Wl,--wrap=close -Wl,--wrap=mmap -Wl,--wrap=syscall"
# shellcheck disable=SC2086 # a list of words
clang++-14 -std=c++20 -O0 -g -D_GNU_SOURCE -fprofile-instr-generate -fcoverage-mapping $wrapped \
    -I include -I collector-bridge -I ompt-backend -I tests/unit/fakes -o "$build/replay" \
    collector-bridge/*/*.cpp ompt-backend/*/*.cpp tests/fuzz/walk_target.cpp tests/fuzz/system.cpp \
    tests/fuzz/replay.cpp tests/unit/fakes/fake_constructs.cpp tests/unit/fakes/fake_runtime.cpp -ldl
LLVM_PROFILE_FILE="$build/profile" "$build/replay" 0 tests/fuzz/corpus/walk.txt
llvm-profdata-14 merge -o "$build/merged" "$build/profile"
walk="collector-bridge/requests/api.cpp collector-bridge/requests/record_view.h collector-bridge/base/code_address.cpp"
# shellcheck disable=SC2086
llvm-cov-14 report "$build/replay" -instr-profile="$build/merged" $walk
# shellcheck disable=SC2086
missed=$(llvm-cov-14 show "$build/replay" -show-branches=count -instr-profile="$build/merged" ${walk% *} |
    grep -E '^ *[0-9]+\| *0\||True: 0|False: 0' || true)
if [ -n "$missed" ]; then
    printf 'not reached:\n%s\n' "$missed"
    exit 1
fi
