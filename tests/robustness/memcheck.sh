#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# memcheck.sh COMMAND [ARGUMENT...] - runs it under valgrind's memcheck; an invalid access or the use
# of a value that nobody has written is an error. Skipped (77) where valgrind is not installed.
set -eu
if ! command -v valgrind >/dev/null; then
    echo "valgrind is not installed"
    exit 77
fi
exec valgrind --quiet --error-exitcode=9 --leak-check=no --track-origins=no "$@"
