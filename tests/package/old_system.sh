#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# old_system.sh FOLDER [CLANG] - what a build for systems that are older than this one takes: headers
# and libraries of Debian 11, glibc 2.31, in FOLDER/root, and FOLDER/options.cmake for `cmake -C`.
# CLANG (clang-14) compiles. No package source has an older Debian that is like Enterprise Linux 8
# (2.28): who builds looks at the versions of what he has built (old_versions.sh). Needs root, the
# network, and mmdebstrap. Exit code 77: a tool is missing.
set -eu
folder=$(realpath -m "$1")
clang=${2:-clang-14}
clangxx=$(echo "$clang" | sed 's/clang/clang++/')
for tool in mmdebstrap "$clang" "$clangxx"; do
    command -v "$tool" >/dev/null || { echo "old_system.sh: $tool is not installed"; exit 77; }
done
root=$folder/root
unnamed=-ffile-prefix-map=$root=system # its place is in no file
libraries=$root/usr/lib/x86_64-linux-gnu
mkdir -p "$folder"
mmdebstrap --mode=root --variant=minbase \
    --include=g++,libgomp1,libdw-dev,libelf-dev,libsqlite3-dev,libncurses-dev,zlib1g-dev,libopenmpi-dev,libmpich-dev \
    bullseye "$root" >"$folder/log" 2>&1 || { tail -n 40 "$folder/log" >&2; exit 1; }
# A link to /lib is to this machine's.
find "$root/lib64" "$root/usr" "$root/etc/alternatives" -type l -lname '/*' | while read -r link; do
    ln -sfnr "$root$(readlink "$link")" "$link"
done
# Headers alone, which are newer here than there.
for package in libcli11-dev nlohmann-json3-dev libprotozero-dev libflatbuffers-dev; do
    dpkg -L "$package" | grep '^/usr/\(include\|share/cmake\|lib/cmake\|lib/x86_64-linux-gnu/cmake\)/.*\.' |
        (cd / && xargs -d '\n' cp --parents -t "$root")
done

# compiler NAME COMMAND [BEHIND]: what is not compiled by CMake is made by compilers of its own.
compiler() {
    printf '#!/bin/sh\nexec %s --sysroot=%s %s "$@" %s\n' "$2" "$root" "$unnamed" "${3:-}" >"$folder/$1"
    chmod 755 "$folder/$1"
}
compiler clang "$clang"
compiler gcc "gcc -L$libraries"
compiler openmpi "$clang -I$libraries/openmpi/include" "-L$libraries/openmpi/lib -lmpi"
compiler mpich "$clang -I$root/usr/include/x86_64-linux-gnu/mpich" "-lmpich"
for option in "OCB_OPENMP_CLANG $folder/clang" "OCB_WORKLOAD_GCC $folder/gcc" \
    "OCB_MPICC_openmpi $folder/openmpi" "OCB_MPICC_mpich $folder/mpich" \
    "CMAKE_C_COMPILER $clang" "CMAKE_CXX_COMPILER $clangxx" "CMAKE_SYSROOT $root" "CMAKE_FIND_ROOT_PATH $root" \
    "CMAKE_C_FLAGS $unnamed" "CMAKE_CXX_FLAGS $unnamed" \
    "CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER" "CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY" \
    "CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY" "CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY"; do
    echo "set(${option%% *} \"${option#* }\" CACHE STRING \"\")"
done >"$folder/options.cmake"
