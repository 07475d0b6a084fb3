#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# debian.sh SOURCES WORK PROGRAM OF_CLANG - the packages of people: .deb without a warning of lintian,
# .rpm with the files and needs that it should have. In a clean Debian, which mmdebstrap makes of the
# package sources of this machine, the .deb are installed, profile PROGRAM (built by gcc, exits with
# 7) for a user who is not root, are upgraded, and purged: nothing of theirs stays. It has neither
# libomp nor clang: OF_CLANG, which needs libomp, gets one line. Then come the .rpm (rpm.sh). WORK
# keeps the build.
# Needs root, the network, and the packages mmdebstrap, lintian and rpm.
set -eu
sources=$1
build=$2
program=$3
of_clang=$4
# Not all may mount or use a folder of root's; /var/tmp may be used by all.
root=$(mktemp -d /var/tmp/ocb-debian.XXXXXX)
trap 'rm -rf "$root"' EXIT
fail() {
    echo "debian.sh: $*" >&2
    exit 1
}
quietly() {
    "$@" >"$root/log" 2>&1 || { cat "$root/log" >&2; fail "$*"; }
}

pack_two() { # GENERATOR FOLDER: two releases
    number=0
    for release in first second; do
        number=$((number + 1))
        quietly cmake -S "$sources" -B "$build" -DOCB_PACKAGE_RELEASE=$number
        quietly cpack -G "$1" --config "$build/CPackConfig.cmake" -B "$2/$release"
    done
}

quietly cmake -G Ninja -S "$sources" -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DOCB_JOIN_SOURCES=ON \
    -DOCB_BUILD_TESTS=OFF -DOCB_HARDEN=ON -DCMAKE_INSTALL_PREFIX=/usr -UCMAKE_INSTALL_LIBDIR -DOCB_DEBIAN_FILES=ON
quietly cmake --build "$build"
rm -rf "$root/first" "$root/second"
pack_two DEB "$root"
# A first upload closes a bug of Debian's; these packages are not for an upload.
lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \
    "$root"/first/*.deb >"$root/lintian" 2>&1 || { cat "$root/lintian" >&2; fail "lintian has found something"; }

quietly cmake -S "$sources" -B "$build" -DCMAKE_INSTALL_LIBDIR=lib64 -DOCB_DEBIAN_FILES=OFF
quietly cmake --build "$build"
pack_two RPM "$root/rpm"
for package in "$root"/rpm/first/*.rpm; do
    rpm -qlp "$package" | grep -q '^/usr/lib/x86_64' && fail "$package has Debian's folders"
done
rpm -qlp "$root"/rpm/first/ompcollect-0*.rpm | grep -qx /usr/lib64/ompcollect/libompcollect-preload.so ||
    fail "the .rpm lacks what is preloaded"
rpm -qRp "$root"/rpm/first/ompcollect-0*.rpm | grep -q '^libomp-collector-bridge0 = ' ||
    fail "the .rpm of the profiler does not need the library"
# Unpacked anywhere, as `rpm --relocate` would.
mkdir "$root/unpacked"
(cd "$root/unpacked" && for package in "$root"/rpm/first/*.rpm; do rpm2cpio "$package" | cpio -idm --quiet; done)
code=0
"$root/unpacked/usr/bin/ompcollect" "$program" exit 7 2>"$root/report" || code=$?
[ $code = 7 ] && grep -q '^== OpenMP profile of ' "$root/report" || { cat "$root/report"; fail "from the .rpm: exit code $code"; }

clean=$root/clean
mkdir "$clean"
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
set --
for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
    [ ! -s "$list" ] || set -- "$@" "$list"
done
quietly mmdebstrap --mode=root --variant=minbase --include=libgomp1 "$release" "$clean" "$@"
cp /etc/resolv.conf "$clean/etc/resolv.conf"
cp "$program" "$clean/program"
cp "$of_clang" "$clean/of_clang"
cp -r "$root/first" "$root/second" "$clean/"
in_clean() {
    chroot "$clean" env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"
}
in_clean sh -c 'find / -xdev ! -path "/proc/*" ! -path "/var/*" | sort' >"$root/before"
mount -t proc proc "$clean/proc"
trap 'umount "$clean/proc"; rm -rf "$root"' EXIT
quietly in_clean apt-get -q update
for release in first second; do
    quietly in_clean sh -c "apt-get -q -y --no-install-recommends install /$release/libomp-collector-bridge0_*.deb /$release/libomp-collector-bridge-dev_*.deb /$release/ompcollect_*.deb /$release/omp-collector-bridge-doc_*.deb"
    code=0
    in_clean setpriv --reuid 65534 --regid 65534 --clear-groups \
        env HOME=/nonexistent OMP_NUM_THREADS=2 ompcollect /program exit 7 2>"$root/report" || code=$?
    [ $code = 7 ] && grep -q '^== OpenMP profile of ' "$root/report" ||
        { cat "$root/report"; fail "$release release: exit code $code"; }
done
code=0
in_clean ompcollect /of_clang 2>"$root/report" || code=$?
[ $code = 125 ] && [ "$(wc -l <"$root/report")" = 1 ] &&
    grep -q '^ompcollect: /of_clang needs libomp .*; install it (Debian: apt-get install libomp5-' "$root/report" ||
    { cat "$root/report"; fail "without libomp: exit code $code"; }
in_clean dpkg-query -W -f '${Version}\n' ompcollect | grep -qx '.*-2' || fail "it was not upgraded"
quietly in_clean sh -c 'apt-get -q -y purge ompcollect libomp-collector-bridge0 libomp-collector-bridge-dev omp-collector-bridge-doc'
in_clean sh -c 'find / -xdev ! -path "/proc/*" ! -path "/var/*" | sort' >"$root/after"
if comm -13 "$root/before" "$root/after" | grep -i 'collect\|libgomp-ompt\|libopenmp'; then
    fail "the files above stay behind a purge"
fi
sh "$(dirname "$0")/rpm.sh" "$clean" "$root/rpm/first" "$root/rpm/second"
