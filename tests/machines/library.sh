#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# library.sh MACHINE - where there is the library alone: its unit tests under qemu-user, and the sentence
# by which the rest is refused. qemu-user does not limit the memory of its process.
set -eu
machine=$1
cd "$(dirname "$0")/../.."
build=$PWD/build/$machine
case $machine in
ppc64le) root=/usr/powerpc64le-linux-gnu ;;
*) root=/usr/$machine-linux-gnu ;;
esac

said=$(cmake --preset "$machine" -B "$build/refused" -DOCB_BUILD_COMPAT=ON 2>&1) && {
    echo "compat/ was not refused"
    exit 1
}
for words in "is written for x86-64 and aarch64" "OCB_BUILD_COMPAT=OFF"; do
    if ! printf '%s\n' "$said" | tr -s ' \n' ' ' | grep -q "$words"; then
        printf 'not said: %s\n%s\n' "$words" "$said"
        exit 1
    fi
done

exec "qemu-$machine-static" -L "$root" "$build/tests/unit/unit-tests" \
    --gtest_filter=-Adoption.ThreadWithoutMemoryForItsRecordGoesOn
