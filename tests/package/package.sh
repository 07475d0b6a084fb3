#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# package.sh BUILD_FOLDER CC CXX PROGRAM LIBOMP_FOLDER - installs the build into a folder of its own
# and uses nothing but that: consumer/ by find_package, the same file by pkg-config in C and C++, and
# the README's collector in front of an OpenMP program. consumer/ with the sources inside is
# configured: the targets have the same names there, and the same link options.
set -eu
build=$1
cc=$2
cxx=$3
program=$4
libomp=$5
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >"$work/installed"
for header in omp_collector_api.h omp_collector_bridge.h omp_collector_client.h libgomp_ompt.h; do
    [ -f "$prefix/include/$header" ] || { echo "$header is not installed"; exit 1; }
    printf '#include <%s>\nint main(void) { return 0; }\n' "$header" >"$work/header.c"
    "$cc" -Wall -Werror -I "$prefix/include" -fsyntax-only "$work/header.c"
done
folder=$(dirname "$(find "$prefix" -name libomp-collector-bridge.so)")

wanted="START OK, a thread in SERIAL, STOP OK"
expect() {
    found=$(LD_LIBRARY_PATH=$folder "$@")
    [ "$found" = "$wanted" ] || { echo "$1: '$found'"; exit 1; }
}

cmake -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$work/configured"
cmake --build "$work/consumer" >"$work/built"
expect "$work/consumer/consumer"
# The Collector API is linked as any producer's, our own functions with the version of their ABI.
readelf -W --dyn-syms "$work/consumer/consumer" >"$work/symbols"
grep -q ' UND __omp_collector_api$' "$work/symbols" &&
    grep -q ' UND omp_collector_bridge_version@OMP_COLLECTOR_BRIDGE_0 ' "$work/symbols" ||
    { cat "$work/symbols"; exit 1; }

expect_forks() {
    counted=$(OMP_NUM_THREADS=2 LD_LIBRARY_PATH="$folder:$libomp" "$@")
    printf '%s\n' "$counted" | grep -q '^ *1 FORK$' || { printf '%s\n' "$*" "$counted"; exit 1; }
}
expect_forks env LD_PRELOAD=libgomp-ompt.so "$work/consumer/inside"

cmake -G Ninja -S "$here/consumer" -B "$work/sources" -DOCB_SOURCES="$here/../.." \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$work/configured"
command=$(ninja -C "$work/sources" -t commands inside | tail -n 1)
for option in -rdynamic -Wl,-u,__omp_collector_api; do
    case $command in
    *" $option "*) ;;
    *)
        echo "with the sources inside $option is missing: $command"
        exit 1
        ;;
    esac
done

PKG_CONFIG_PATH=$folder/pkgconfig
export PKG_CONFIG_PATH
for language in c c++; do
    compiler=$cc
    [ "$language" = c ] || compiler=$cxx
    # shellcheck disable=SC2046 # a list of words
    "$compiler" -x "$language" -Wall -Wextra -Werror "$here/consumer/consumer.c" -x none \
        -o "$work/by-pkg-config" \
        $(pkg-config --define-variable=prefix="$prefix" --cflags --libs omp-collector-bridge)
    expect "$work/by-pkg-config"
done

# As the README says.
"$cc" -shared -fPIC -I "$prefix/include" -o "$work/libevent-counter.so" \
    "$here/../../compat/examples/event_counter.c" -ldl
counted=$(OMP_NUM_THREADS=2 LD_LIBRARY_PATH="$folder:$libomp" \
    LD_PRELOAD="libomp-collector-bridge.so $work/libevent-counter.so" "$program")
printf '%s\n' "$counted" | grep -q '^ *2 FORK$' || { printf '%s\n' "$counted"; exit 1; }
