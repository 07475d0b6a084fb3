#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# library.sh MACHINE - where there are the library and libgomp-ompt: the unit tests under qemu-user, and
# the sentence by which the rest is refused. qemu-user does not limit the memory of its process.
set -eu
machine=$1
cd "$(dirname "$0")/../.."
build=$PWD/build/$machine
case $machine in
ppc64le) root=/usr/powerpc64le-linux-gnu ;;
*) root=/usr/$machine-linux-gnu ;;
esac

said=$(cmake --preset "$machine" -B "$build/again" -DOCB_BUILD_TESTS=OFF 2>&1)
words="the library and libgomp-ompt are built, and no ompcollect"
if ! printf '%s\n' "$said" | grep -q "$words" || [ -e "$build/bin/ompcollect" ]; then
    printf 'not said: %s\n%s\n' "$words" "$said"
    exit 1
fi

exec "qemu-$machine-static" -L "$root" "$build/tests/unit/unit-tests" \
    --gtest_filter=-LateRegistration.ThreadWithoutMemoryForItsRecordGoesOn
