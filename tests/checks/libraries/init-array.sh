#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# init-array.sh ARCHIVE - nothing in the static library runs before main: every table and variable is
# constant-initialised. In a program that links it a collector's constructor may send requests before
# our own initialisers would have run. To see it fail: make a row's number the result of a call.
set -eu
archive=$1
sections=$(objdump -h "$archive")
case $sections in
*.text*) ;;
*)
    echo "$archive has no code"
    exit 1
    ;;
esac
if printf '%s\n' "$sections" | awk '/file format/ { file = $1 } /\.init_array|\.ctors/ { print file, $2; found = 1 } END { exit !found }'; then
    echo "initialisers that run before main"
    exit 1
fi
