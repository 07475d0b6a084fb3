#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# release.sh [--tag] [FOLDER] - the files of a release, in FOLDER (default: build/release-files):
# sources, packages (.deb, .rpm, .tar.gz), a list of parts in SPDX, and checksums. Nothing else is
# changed; with --tag the commit gets its tag vVERSION in the end, which is yours to push.
#   1. The tree is clean; version, header, changelog and ABI description agree.
#   2. The sources are what `git archive` gives. They are built twice, in two folders, without a
#      compiler cache, and all packages must be the same, bit by bit. The .deb are for this Debian;
#      .rpm and .tar.gz are built for older systems too (package/old_system.sh), and may need
#      nothing newer than glibc 2.28.
#   3. With --tag, README's commands on machines where nobody prepared anything (package/fresh_machines.sh).
# For a release: set the version in CMakeLists.txt and include/omp_collector_bridge.h, head the
# changelog "## VERSION (YYYY-MM-DD)", run `sh tests/checks/libraries/abi.sh --make LIBRARY`, commit, and run this.
# Needs what a build needs, root, the network, and the packages reuse, rpm, dpkg-dev, devscripts,
# abigail-tools, clang-14 and mmdebstrap.
set -eu
cd "$(dirname "$0")/.."
tag=no
if [ "${1:-}" = --tag ]; then
    tag=yes
    shift
fi
[ $# -le 1 ] || { sed -n 's/^# release\.sh/usage: release.sh/p' "$0"; exit 2; }
out=$(realpath -m "${1:-build/release-files}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
note() {
    printf 'release.sh: %s\n' "$*"
}
fail() {
    note "$*" >&2
    exit 1
}
quietly() {
    "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; fail "failed: $*"; }
}

if ! git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    note "not under version control: nothing to release"
    exit 77
fi

# 1. What a person may have forgotten. A tool that is missing would be missed after both builds.
for tool in cmake cpack ninja reuse rpmbuild dpkg-shlibdeps hardening-check abidiff clang-14 mmdebstrap; do
    command -v "$tool" >/dev/null || fail "$tool is not installed (the head of this script has the packages)"
done
[ -z "$(git status --porcelain)" ] || fail "the tree has changes: commit them first"
version=$(sed -n 's/^project(.* VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
in_header=$(sed -n 's/^#define OMP_COLLECTOR_BRIDGE_VERSION_[A-Z]* //p' include/omp_collector_bridge.h | paste -sd.)
[ "$version" = "$in_header" ] || fail "version $version in CMakeLists.txt, $in_header in the header"
[ -f "tests/checks/libraries/abi/$version.xml" ] || fail "no description of the ABI of $version: tests/checks/libraries/abi.sh --make"
heading=$(sed -n '/^## /{p;q;}' CHANGELOG.md)
case $heading in
"## Unreleased ($version)") [ $tag = no ] || fail "the changelog has no date for $version: '$heading'" ;;
"## $version ("20[0-9][0-9]-[01][0-9]-[0-3][0-9]")") ;;
*) fail "version $version, but the changelog begins with '$heading'" ;;
esac
if [ $tag = yes ] && git rev-parse -q --verify "refs/tags/v$version" >/dev/null; then
    fail "there is a tag v$version already"
fi

# 2. Sources, and what is made of them. All times in the files are the commit's.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH CCACHE_DISABLE=1 LC_ALL=C TZ=UTC
umask 022
name=omp-collector-bridge-$version
rm -rf "$out"
mkdir -p "$out"
git archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$out/$name.tar.gz"

# configure FOLDER BUILD OPTION...: builds for one kind of packages.
configure() {
    folder=$1
    build=$1/$2
    shift 2
    quietly cmake "$@" -G Ninja -S "$folder/$name" -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DOCB_BUILD_TESTS=OFF -DOCB_WARNINGS_AS_ERRORS=ON -DOCB_JOIN_SOURCES=ON -DOCB_HARDEN=ON \
        -DOCB_REPRODUCIBLE=ON
    quietly cmake --build "$build"
}
pack() {
    quietly cpack -G "$3" --config "$1/$2/CPackConfig.cmake" -B "$1/packages"
    rm -rf "$1/packages/_CPack_Packages"
}
quietly sh tests/package/old_system.sh "$work/old" clang-14
for folder in "$work/first" "$work/second-and-longer"; do
    mkdir "$folder"
    tar -C "$folder" -xzf "$out/$name.tar.gz"
    note "building in $folder"
    configure "$folder" build -DCMAKE_INSTALL_PREFIX=/usr -DOCB_DEBIAN_FILES=ON
    pack "$folder" build DEB
    configure "$folder" build-for-older -C "$work/old/options.cmake" -DCMAKE_INSTALL_LIBDIR=lib64
    pack "$folder" build-for-older RPM
    configure "$folder" build-for-older -DCMAKE_INSTALL_LIBDIR=lib
    pack "$folder" build-for-older TGZ
done
mkdir "$work/unpacked" "$work/installed"
tar -C "$work/unpacked" -xzf "$(ls "$work/first/packages"/*.tar.gz)"
for package in "$work/first/packages"/*.deb; do
    dpkg -x "$package" "$work/installed"
done
python3 -B tests/package/hardened.py "$work/installed" "$work/unpacked" || fail "something is not hardened"
sh tests/package/old_versions.sh "$work/unpacked" || fail "the archive is not for older systems"
sh tests/checks/libraries/abi.sh "$work/first/build/lib/libomp-collector-bridge.so" || fail "the ABI is not that of $version"
different=
(cd "$work/first/packages" && find . -type f | sort) >"$work/files"
[ "$(grep -c . "$work/files")" -ge 10 ] || fail "$(cat "$work/files"): packages are missing"
while IFS= read -r file; do
    cmp "$work/first/packages/$file" "$work/second-and-longer/packages/$file" || different="$different $file"
    cp "$work/first/packages/$file" "$out/"
done <"$work/files"
if [ -n "$different" ]; then
    mkdir -p "$out/differ"
    cp -r "$work/first/packages" "$out/differ/first"
    cp -r "$work/second-and-longer/packages" "$out/differ/second"
    fail "not the same in two folders:$different (both are in $out/differ)"
fi

# The parts, their licences and checksums. reuse writes time, name and order of this moment.
when=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
(cd "$work/first/$name" && reuse spdx) >"$work/spdx" 2>"$work/log" || { cat "$work/log"; fail "reuse spdx"; }
awk -v RS= 'NR == 1' "$work/spdx" | sed -e "s/^DocumentName: .*/DocumentName: $name/" -e "s/^Created: .*/Created: $when/" \
    -e "s,^\(DocumentNamespace: .*spdx-v2.1-\).*,\1$(git rev-parse HEAD)," |
    awk '/^Relationship/ { print | "sort"; next } { print }' >"$out/$name.spdx"
awk -v RS= -v ORS='\0' 'NR > 1 { print "\n" $0 "\n" }' "$work/spdx" | sort -z | tr -d '\0' >>"$out/$name.spdx"
(cd "$out" && sha256sum ./*.* >SHA256SUMS)
note "$(grep -c . "$out/SHA256SUMS") files in $out; the packages of two builds are the same"
if [ $tag = yes ]; then
    sh tests/package/fresh_machines.sh build/fresh-machines || fail "README's commands fail on a fresh machine"
fi
[ $tag = no ] || git tag -a "v$version" -m "Version $version"
