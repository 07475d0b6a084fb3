#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# without.sh FIX TARGET TESTS - proves that tests fail without their fix. Takes what commit FIX
# changed outside tests/ and the documents back out of the current commit, in a work tree of its own
# (build/without), builds TARGET there and runs the tests whose names match TESTS. Succeeds where at
# least one of them fails.
#     sh tests/without.sh HEAD unit-tests 'unit.Session'
set -eu
if [ $# -ne 3 ]; then
    sed -n 's/^# without\.sh/usage: without.sh/p' "$0" | head -n 1
    exit 2
fi
cd "$(dirname "$0")/.."
top=$(pwd)
fix=$(git rev-parse --verify "$1^{commit}")
target=$2
tests=$3
tree=$top/build/without
if [ -d "$tree" ]; then
    git worktree remove --force "$tree"
fi
git worktree add --quiet --detach "$tree" HEAD
trap 'cd "$top" && git worktree remove --force "$tree"' EXIT
cd "$tree"
git diff --binary "$fix~1" "$fix" -- . ':!tests' ':!docs' ':!*.md' >"$top/build/without.patch"
if ! [ -s "$top/build/without.patch" ]; then
    echo "$1 changes nothing but tests and documents"
    exit 2
fi
git apply -R --3way "$top/build/without.patch"
cmake --preset ci -DOCB_TEST_CHECKS=OFF "-DOCB_LIBOMP_DIR=$top/build/libomp" >/dev/null
cmake --build --preset ci --target "$target"
if [ "$(ctest --test-dir build/ci -N -R "$tests" | sed -n 's/^Total Tests: //p')" = 0 ]; then
    echo "no test of target $target has a name that matches '$tests'"
    exit 2
fi
if ctest --test-dir build/ci --no-label-summary -j "$(nproc)" -R "$tests"; then
    echo "They pass without $1: they do not prove it."
    exit 1
fi
echo "Without $1 the tests above fail."
