#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# python_lock.sh OMPCOLLECT PYTHON LIBRARY FOLDER: what a Python thread waits for is a lock, not a
# thread of the program.
set -eu
file=$4/python-lock.ompc
"$1" -o "$file" "$2" -B "$(dirname "$0")/python_lock.py" "$3" > "$file.txt" 2>&1
"$1" report "$file" --show verdict > "$file.txt"
cat "$file.txt"
grep -q '^[1-3]\. .*foreign-lock' "$file.txt"
