#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# dynamic.sh LIBRARY - the library needs libc alone (and the dynamic linker), has the soname that
# programs and scripts rely on, and no relocation in its code.
set -eu
dynamic=$(readelf -W -d "$1")
status=0
fail() {
    echo "$1"
    status=1
}

needed=$(printf '%s\n' "$dynamic" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
case "
$needed
" in
*"
libc.so.6
"*) ;;
*) fail "libc.so.6 is not needed: was the section read at all?" ;;
esac
for name in $needed; do
    case $name in
    libc.so.6 | ld-linux*.so.* | libdl.so.2) ;;
    *) fail "needs $name" ;;
    esac
done
soname=$(printf '%s\n' "$dynamic" | sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p')
[ "$soname" = libomp-collector-bridge.so.0 ] || fail "soname is '$soname'"
grep -q "define OMP_COLLECTOR_BRIDGE_SONAME \"$soname\"" "$(dirname "$0")/../../../include/omp_collector_bridge.h" ||
    fail "omp_collector_bridge.h has another soname than $soname"
if printf '%s\n' "$dynamic" | grep -q 'TEXTREL'; then
    fail "has relocations in its code"
fi
exit $status
