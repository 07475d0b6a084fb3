#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# old_glibc.sh SOURCES BUILD CLANG - a build for systems that are older than this one. CLANG (clang-14)
# compiles with the headers and libraries of Debian 11, glibc 2.31: no package source has an older
# one that Enterprise Linux 8 (2.28) is like. Nothing that is built may need more than glibc 2.28,
# and the archive works, unpacked in that Debian 11. Needs root, the network, and mmdebstrap.
set -eu
sources=$1
build=$2
clang=$3
clangxx=$(echo "$clang" | sed 's/clang/clang++/')
for tool in mmdebstrap "$clang" "$clangxx"; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 77; }
done
baseline=2.28
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

quietly mmdebstrap --mode=root --variant=minbase \
    --include=g++,libgomp1,libdw-dev,libelf-dev,libsqlite3-dev,libncurses-dev,zlib1g-dev bullseye "$root"
# A link to /lib is to this machine's.
find "$root/lib64" "$root/usr" -type l -lname '/*' | while read -r link; do
    ln -sfnr "$root$(readlink "$link")" "$link"
done
# Headers alone, which are newer here than there.
for package in libcli11-dev nlohmann-json3-dev libprotozero-dev libflatbuffers-dev; do
    dpkg -L "$package" | grep '^/usr/\(include\|share/cmake\|lib/cmake\|lib/x86_64-linux-gnu/cmake\)/.*\.' |
        (cd / && xargs -d '\n' cp --parents -t "$root")
done

# What ompt-compliance runs is made by compilers of its own.
for compiler in clang gcc; do
    printf '#!/bin/sh\nexec %s --sysroot=%s "$@"\n' "$([ $compiler = gcc ] && echo "gcc -L$root/usr/lib/x86_64-linux-gnu" || echo "$clang")" "$root" >"$work/$compiler"
    chmod 755 "$work/$compiler"
done
set -- -DOCB_WORKLOAD_CLANG="$work/clang" -DOCB_WORKLOAD_GCC="$work/gcc" -DCMAKE_C_COMPILER="$clang" -DCMAKE_CXX_COMPILER="$clangxx" -DCMAKE_SYSROOT="$root" \
    -DCMAKE_FIND_ROOT_PATH="$root" -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER \
    -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY \
    -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY -DOCB_MPICC_openmpi=NOTFOUND -DOCB_MPICC_mpich=NOTFOUND
rm -rf "$build"
quietly cmake -G Ninja -S "$sources" -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DOCB_JOIN_SOURCES=ON \
    -DOCB_BUILD_TESTS=OFF -DCMAKE_INSTALL_LIBDIR=lib "$@"
quietly cmake --build "$build"
quietly cpack -G TGZ --config "$build/CPackConfig.cmake" -B "$work/packed"
mkdir "$root/opt/unpacked"
tar -C "$root/opt/unpacked" --strip-components=1 -xzf "$work"/packed/*.tar.gz

find "$root/opt/unpacked" -type f | while read -r file; do
    highest=$(readelf -W --dyn-syms "$file" 2>/dev/null | sed -n 's/.* UND .*@GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -n 1)
    [ -z "$highest" ] || echo "$highest ${file#"$root/opt/unpacked/"}"
done >"$work/versions"
grep -q 'bin/ompcollect$' "$work/versions" || fail "no file was read"
newer=$(awk -v baseline=$baseline '{ split($1, a, "."); split(baseline, b, "."); if (a[1] > b[1] || (a[1] == b[1] && a[2] > b[2])) print }' "$work/versions")
[ -z "$newer" ] || { echo "$newer"; fail "these need more than glibc $baseline"; }
sort -V "$work/versions" | tail -n 3

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
