#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# rpm.sh CLEAN FIRST SECOND - the .rpm of two releases, in the folders FIRST and SECOND, under a real
# rpm: in the system below CLEAN, which has /program, they are installed, verified, profile it for a
# user who is not root, are upgraded, are not taken back, and are erased: nothing of theirs stays.
# rpm looks at what they need. What Debian itself has comes from a package of names, which is made of
# the libraries of CLEAN. Needs root and the package rpm.
# shellcheck disable=SC2046,SC2086 # lists of words
set -eu
clean=$1
first=$2
second=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names="libomp-collector-bridge0 libomp-collector-bridge-dev ompcollect omp-collector-bridge-doc"
fail() {
    echo "rpm.sh: $*" >&2
    exit 1
}
in_system() { # Debian's rpm wants to be told that it is meant
    rpm --root "$clean" --force-debian "$@"
}
files_of() {
    for name in $names; do
        ls "$1/$name"-[0-9]*.rpm
    done
}
files_there() {
    chroot "$clean" find / -xdev ! -path '/proc/*' ! -path '/var/*' | sort
}
look_at() {
    in_system -V $names || fail "the $1 release is not as it was packed"
    code=0
    chroot "$clean" setpriv --reuid 65534 --regid 65534 --clear-groups \
        env HOME=/nonexistent OMP_NUM_THREADS=2 ompcollect /program exit 7 2>"$work/report" || code=$?
    [ $code = 7 ] && grep -q '^== OpenMP profile of ' "$work/report" ||
        { cat "$work/report"; fail "the $1 release: exit code $code"; }
}

rpm --root "$clean" --initdb
{
    printf '%s\n' 'Name: debian-itself' 'Version: 1' 'Release: 1' 'Summary: What Debian has' 'License: none' 'BuildArch: noarch'
    printf 'Provides: %s\n' /bin/sh /usr/bin/pkg-config 'rtld(GNU_HASH)' ncurses-libs sqlite-libs
    find "$clean/usr/lib" "$clean/lib64/" -name '*.so*' -type f | /usr/lib/rpm/rpmdeps --provides | sort -u | sed 's/^/Provides: /'
    printf '%s\n' '%description' Names. '%files'
} >"$work/names.spec"
rpmbuild -bb --quiet --define "_topdir $work" "$work/names.spec"
in_system -i "$work"/RPMS/noarch/debian-itself-*.rpm
files_there >"$work/before"

if in_system -i "$first"/ompcollect-0*.rpm 2>"$work/said" || ! grep -q 'libomp-collector-bridge0 = .* is needed' "$work/said"; then
    cat "$work/said"
    fail "the profiler alone was not refused by its need of the library"
fi
in_system -i $(files_of "$first")
look_at first
in_system -U $(files_of "$second")
look_at second
in_system -q ompcollect | grep -q -- '-2\.x86_64$' || fail "it was not upgraded"
if in_system -U $(files_of "$first") 2>"$work/said" || ! grep -q 'is already installed' "$work/said"; then
    cat "$work/said"
    fail "an older release came over the newer"
fi
if in_system -e libomp-collector-bridge0 2>"$work/said"; then
    fail "the library was taken from under the profiler"
fi
in_system -e $names
files_there >"$work/after"
comm -13 "$work/before" "$work/after" | grep . && fail "the files above stay behind"
echo "installed, verified, upgraded and erased by $(rpm --version)"
