#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tls.sh LIBRARY - thread-local data is reached by the initial-exec model alone. Every other one may
# allocate memory at the first access, which can be in a signal handler.
set -eu
relocations=$(readelf -W -r "$1")
if ! printf '%s\n' "$relocations" | grep -q '_TPOFF'; then
    echo "no initial-exec relocation: was the library read at all?"
    exit 1
fi
if printf '%s\n' "$relocations" | grep -E '_DTPMOD|_DTPOFF|_TLSDESC|__tls_get_addr'; then
    echo "the relocations above are of another TLS model"
    exit 1
fi
