#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# package.sh BUILD - an installation can be moved: what pkg-config says of it leads to the header and
# the library where they are now, also with --define-prefix, and a program built so runs.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$1" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/second"
PKG_CONFIG_PATH=$(dirname "$(find "$folder/second" -name omp-collector-bridge.pc)")
export PKG_CONFIG_PATH
printf '%s\n' '#include <omp_collector_bridge.h>' '#include <stdio.h>' \
    'int main(void) { return puts(omp_collector_bridge_version()) < 0; }' >"$folder/program.c"
prefix=$(pkg-config --variable=prefix omp-collector-bridge)
if [ "$(realpath "$prefix")" != "$(realpath "$folder/second")" ]; then
    echo "the prefix is $prefix"
    exit 1
fi
for option in '' --define-prefix; do
    # shellcheck disable=SC2086 # no option is no word
    flags=$(pkg-config $option --cflags --libs omp-collector-bridge)
    # shellcheck disable=SC2086 # a list of words
    cc -o "$folder/program" "$folder/program.c" $flags
    library=$(pkg-config --variable=libdir omp-collector-bridge)
    LD_LIBRARY_PATH="$library" "$folder/program"
done
