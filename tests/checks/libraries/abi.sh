#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# abi.sh LIBRARY            - the library has all that the last release had (tests/checks/libraries/abi/), as it
#                             was there: functions, their parameters, structures, versions of symbols.
#                             What was added is no error.
# abi.sh --make LIBRARY     - describes LIBRARY anew, as a release does (tests/release.sh).
# LIBRARY has debug information. Descriptions with a change must be found to differ.
set -eu
. "$(dirname "$0")/../tracked.sh"
folder=tests/checks/libraries/abi

# Paths of sources are seen from the top.
describe() {
    abidw --headers-dir include --drop-private-types --exported-interfaces-only --drop-undefined-syms \
        --no-corpus-path --no-show-locs --no-comp-dir-path --no-elf-needed --no-parameter-names \
        --type-id-style hash "$1" |
        sed "s, path='[^']*/\(collector-bridge\|ompt-backend\)/, path='\1/,"
}

if [ "$1" = --make ]; then
    version=$(sed -n 's/^project(.* VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
    require "$version"
    describe "$2" >"$folder/new"
    rm -f "$folder"/*.xml
    mv "$folder/new" "$folder/$version.xml"
    exit
fi

if ! readelf -h "$1" | grep -q 'Machine:.*X86-64'; then
    echo "the last release is described for x86-64 alone"
    exit 77
fi
released=$(ls "$folder"/*.xml)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
describe "$1" >"$work/now.xml"
differs() {
    ! abidiff --no-added-syms "$1" "$work/now.xml" >"$work/changes" 2>&1
}
if differs "$released"; then
    cat "$work/changes"
    echo "^ not the ABI of ${released##*/}: docs/INSTALL.md has the rules"
    exit 1
fi

# must_find WHAT SED_SCRIPT: a description with such a change differs, and the report names it.
must_find() {
    sed "$2" "$released" >"$work/other.xml"
    if cmp -s "$released" "$work/other.xml"; then
        echo "the description has nothing that '$2' changes"
        exit 1
    fi
    differs "$work/other.xml" && grep -q "$1" "$work/changes" ||
        { cat "$work/changes"; echo "not found: $2"; exit 1; }
}
must_find omp_collector_bridge_thread_answer "s/\(omp_collector_bridge_thread_answer' size-in-bits='\)192/\1256/"
must_find omp_collector_bridge_gone "s/omp_collector_bridge_version/omp_collector_bridge_gone/"
must_find Tau_get_gomp_proxy_address "s/name='Tau_get_gomp_proxy_address'/& version='OLD' is-default-version='yes'/"
