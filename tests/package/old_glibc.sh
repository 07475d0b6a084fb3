#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# old_glibc.sh SOURCES BUILD CLANG - a build for systems that are older than this one (old_system.sh).
# Nothing that is built may need more than glibc 2.28, and the archive works, unpacked in that
# Debian 11. Needs root, the network, and mmdebstrap.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sources=$1
build=$2
clang=$3
work=$(mktemp -d /var/tmp/ocb-old.XXXXXX)
root=$work/root
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$work"' EXIT
fail() {
    echo "old_glibc.sh: $*" >&2
    exit 1
}
quietly() {
    "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; fail "$*"; }
}

sh "$here/old_system.sh" "$work" "$clang"
rm -rf "$build"
quietly cmake -C "$work/options.cmake" -G Ninja -S "$sources" -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DOCB_JOIN_SOURCES=ON -DOCB_BUILD_TESTS=OFF -DCMAKE_INSTALL_LIBDIR=lib
quietly cmake --build "$build"
quietly cpack -G TGZ --config "$build/CPackConfig.cmake" -B "$work/packed"
mkdir "$root/opt/unpacked"
tar -C "$root/opt/unpacked" --strip-components=1 -xzf "$work"/packed/*.tar.gz
sh "$here/old_versions.sh" "$root/opt/unpacked"

# gcc's program on that libgomp, by a user who is not root.
cat >"$root/program.c" <<'END'
int main(void) {
    double sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    for (long i = 1; i < 60000000; ++i) {
        sum += 1.0 / (double)i;
    }
    return sum > 0 ? 7 : 1;
}
END
mount -t proc proc "$root/proc"
quietly chroot "$root" gcc -g -O1 -fopenmp -o /program /program.c
code=0
chroot "$root" setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent LC_ALL=C \
    /opt/unpacked/bin/ompcollect --all /program 2>"$work/report" || code=$?
[ $code = 7 ] && grep -q '^== OpenMP profile of ' "$work/report" && grep -q 'program.c:' "$work/report" ||
    { cat "$work/report"; fail "exit code $code"; }
chroot "$root" /opt/unpacked/bin/ompcollect --version | grep 'glibc 2.31'
