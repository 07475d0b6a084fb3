#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# where_built.sh BUILD COMMAND... - skipped (77) where this machine's build was (build.sh).
set -eu
build=$1
shift
if [ -f "$build/skipped" ]; then
    cat "$build/skipped"
    exit 77
fi
exec "$@"
