#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# musl.sh SOURCE - a compiler for musl is refused with a sentence. Skipped (77) without one.
set -eu
if ! command -v musl-gcc >/dev/null; then
    echo "musl-gcc is not installed"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if CC=musl-gcc cmake -G Ninja -S "$1" -B "$work" >"$work/said" 2>&1; then
    echo "musl was not refused"
    exit 1
fi
tr -s ' \n' ' ' <"$work/said" | grep -o "The bridge is built for glibc.*measure"
