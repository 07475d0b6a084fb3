#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# debuginfod.sh LAUNCHER SOURCE - a stripped program, and a server that has its debug information: lines
# are asked for where --debuginfod is given, and else nobody is. Skipped (77) without the server.
set -eu
launcher=$1
source=$2
if ! command -v debuginfod >/dev/null; then
    echo "debuginfod is not installed"
    exit 77
fi
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
cd "$work"
mkdir files
gcc -O1 -g -fopenmp -Wl,--build-id -o whole "$source"
objcopy --only-keep-debug whole files/whole.debug
objcopy --strip-all whole stripped
port=$((20000 + $$ % 10000))
debuginfod -F -p "$port" -d :memory: files >log 2>&1 &
server=$!
export DEBUGINFOD_URLS="http://127.0.0.1:$port/" DEBUGINFOD_CACHE_PATH="$work/cache"

tries=0
until "$launcher" --debuginfod --show regions ./stripped >report 2>&1 && grep -q "inner ${source##*/}:[0-9]" report; do
    tries=$((tries + 1))
    if [ "$tries" = 20 ]; then
        cat log report
        exit 1
    fi
    rm -rf cache # it remembers what the server did not know yet
    sleep 0.5
done
grep "inner ${source##*/}" report
"$launcher" --show regions ./stripped >report 2>&1
if grep "${source##*/}" report; then
    echo "asked for without being told to"
    exit 1
fi
