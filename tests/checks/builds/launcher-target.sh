#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# launcher-target.sh BUILD - who builds the target ompcollect builds all that it preloads: each
# library of ours in its dry runs is an input of that target. compat/demo.sh builds nothing of ours
# besides, so it has them too. To see it fail: take a library out of add_dependencies(ompcollect ...).
set -eu
build=$(realpath "$1")
cd "$(dirname "$0")/../../.."

if [ ! -f "$build/build.ninja" ]; then
    echo "$build was not made for ninja, as the presets make it"
    exit 1
fi
inputs=$(ninja -C "$build" -t inputs ompcollect)

# With the program's own runtime and with another one, whatever the program.
preloaded=$(
    for runtime in libgomp libomp; do
        "$build/bin/ompcollect" --dry-run --runtime "$runtime" -- "$build/bin/ompcollect"
    done | awk -v folder="$build/lib/" '{
        while ((at = index($0, folder)) > 0) {
            $0 = substr($0, at + length(folder))
            match($0, /^[^:\047 ]*/)
            print "lib/" substr($0, 1, RLENGTH)
        }
    }' | sort -u
)
count=$(printf '%s\n' "$preloaded" | wc -l)
if [ "$count" -lt 4 ]; then
    echo "only $count libraries are preloaded: $preloaded"
    exit 1
fi
status=0
for library in $preloaded; do
    if ! printf '%s\n' "$inputs" | grep -q "^$library"; then
        echo "$library is preloaded, but the target ompcollect does not build it"
        status=1
    fi
done

others=$(sed -n 's/^build="cmake --build .* --target \(.*\)"$/\1/p' compat/demo.sh)
if [ "$others" != demo ] || ! ninja -C "$build" -t query compat/ompcollect/demo/demo | grep -q ' bin/ompcollect$'; then
    echo "compat/demo.sh builds \"$others\", not what the launcher needs"
    status=1
fi
exit $status
