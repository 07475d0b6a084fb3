#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds everything and runs every test: `sh tests/run.sh [--long] [ctest arguments]`, for example
# `sh tests/run.sh -R integration`. Made for Debian 12 as root on a machine with nothing prepared:
# installs the packages that are missing (and says which), fetches the libomp versions that the
# tests run on side by side into build/libomp/NN, then configures, builds and runs ctest in the
# preset `ci`. What is there already is not fetched again. --long adds the tests of many minutes.
# libarcher, which libomp looks for by itself, goes into a folder of its own.
set -eu

cd "$(dirname "$0")/.."

packages="cmake ninja-build g++ gfortran-12 clang-14 clang-format-14 clang-tidy-14 binutils git pkg-config
libgtest-dev libgmock-dev libcli11-dev nlohmann-json3-dev libflatbuffers-dev flatbuffers-compiler libprotozero-dev libsqlite3-dev zlib1g-dev libdw-dev libelf-dev libncurses-dev libomp-14-dev libclang-rt-14-dev
binutils-aarch64-linux-gnu libstdc++-12-dev-arm64-cross qemu-user time valgrind cppcheck abigail-tools reuse lmod man-db python3 python3-jsonschema python3-flatbuffers python3-pandas python3-pyte python3-pypdf2 protobuf-compiler python3-protobuf golang-github-google-pprof-dev sqlite3 groff-base chromium openmpi-bin libopenmpi-dev mpich libmpich-dev slurmctld slurmd slurm-client libslurm-dev munge flang-19 r-base-core zsh fish
clustalo libjemalloc2 libtcmalloc-minimal4 $(sh tests/compat/real-programs/same_as_plain.sh --packages short)"
libomp_versions="13 14 15 16 19"
archer_versions="14 19"

say() {
    printf 'tests/run.sh: %s\n' "$*"
}

# The lists of a fresh container are empty; they are fetched once, where the first package is needed.
lists_fetched=no
fetch_lists() {
    if [ "$lists_fetched" = no ]; then
        say "fetching the package lists"
        apt-get -q update
        lists_fetched=yes
    fi
}

# build/libomp/NN/archer/libarcher.so, likewise.
fetch_archer() {
    version=$1
    target=build/libomp/$version/archer
    if [ -f "$target/libarcher.so" ]; then
        return
    fi
    fetch_lists
    say "fetching libarcher of libomp-$version-dev into $target"
    partial=$target.partial
    rm -rf "$partial" "$target"
    mkdir -p "$partial/package"
    (cd "$partial" && apt-get -q -o APT::Sandbox::User=root download "libomp-$version-dev")
    dpkg -x "$partial"/libomp-"$version"-dev_*.deb "$partial/package"
    cp "$partial/package/usr/lib/llvm-$version/lib/libarcher.so" "$partial/"
    rm -rf "$partial/package" "$partial"/*.deb
    mv "$partial" "$target"
}

install_missing_packages() {
    missing=
    for package in $packages; do
        if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
            missing="$missing $package"
        fi
    done
    if [ -z "$missing" ]; then
        say "all packages are installed"
        return
    fi
    fetch_lists
    say "installing:$missing"
    # shellcheck disable=SC2086 # a list of words
    DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends $missing
}

# build/libomp/NN/lib/libomp.so.5, one folder per version. It gets its name when it is complete, so
# an interrupted run leaves nothing that looks finished.
fetch_libomp() {
    version=$1
    target=build/libomp/$version
    if [ -f "$target/lib/libomp.so.5" ]; then
        return
    fi
    fetch_lists
    say "fetching libomp5-$version into $target"
    partial=build/libomp/$version.partial
    rm -rf "$partial" "$target"
    mkdir -p "$partial/package" "$partial/lib"
    (cd "$partial" && apt-get -q -o APT::Sandbox::User=root download "libomp5-$version")
    dpkg -x "$partial"/libomp5-"$version"_*.deb "$partial/package"
    cp "$partial/package/usr/lib/llvm-$version/lib/libomp.so.5" "$partial/lib/"
    rm -rf "$partial/package" "$partial"/*.deb
    mv "$partial" "$target"
}

# build/foreign/gcc.tar.xz and llvm.tar.xz: sources whose testsuites tests/libgomp/foreign runs.
fetch_foreign_suites() {
    target=build/foreign
    if [ ! -f "$target/gcc.tar.xz" ]; then
        fetch_lists
        say "fetching the sources of gcc 12 into $target"
        mkdir -p "$target/package"
        (cd "$target" && apt-get -q -o APT::Sandbox::User=root download gcc-12-source)
        dpkg -x "$target"/gcc-12-source_*.deb "$target/package"
        mv "$target"/package/usr/src/gcc-12/gcc-12*.tar.xz "$target/gcc.tar.xz"
        rm -rf "$target/package" "$target"/*.deb
    fi
    if [ ! -f "$target/llvm.tar.xz" ]; then
        say "fetching the sources of LLVM 14 into $target"
        partial=$PWD/$target/llvm.partial
        rm -rf "$partial"
        mkdir -p "$partial/lists/partial" "$partial/parts"
        for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
            if [ -f "$list" ]; then
                sed -e 's/^Types:.*/Types: deb-src/' -e 's/^deb /deb-src /' "$list" \
                    > "$partial/parts/$(basename "$list")"
            fi
        done
        (cd "$partial" && for step in update "source --download-only llvm-toolchain-14"; do
            # shellcheck disable=SC2086 # words
            apt-get -q -o APT::Sandbox::User=root -o Dir::Etc::SourceList=/dev/null \
                -o Dir::Etc::SourceParts="$partial/parts" -o Dir::State::Lists="$partial/lists" $step
        done)
        mv "$partial"/llvm-toolchain-14_*.orig.tar.xz "$target/llvm.tar.xz"
        rm -rf "$partial"
    fi
}

long_tests="-LE long"
is_long=no
if [ "${1:-}" = --long ]; then
    long_tests=
    is_long=yes
    export OCB_TEST_LONG=1
    packages="$packages llvm-14 g++-aarch64-linux-gnu g++-powerpc64le-linux-gnu g++-riscv64-linux-gnu qemu-user-static qemu-system-arm cpio googletest debuginfod musl-tools golang-go mmdebstrap lintian devscripts g++-11 clang-15 clang-16 clang-19 rpm gromacs cp2k iqtree
nwchem-mpich nwchem-openmpi python3-numpy libopenblas0-openmp
$(sh tests/compat/real-programs/same_as_plain.sh --packages long)"
    shift
fi

install_missing_packages
for version in $libomp_versions; do
    fetch_libomp "$version"
done

for version in $archer_versions; do
    fetch_archer "$version"
done
if [ "$is_long" = yes ]; then
    fetch_foreign_suites
fi

# Of this build and of those that tests begin. ninja by itself begins two compilers more, which then
# take each other's cache.
CMAKE_BUILD_PARALLEL_LEVEL=$(nproc)
export CMAKE_BUILD_PARALLEL_LEVEL

say "configuring and building build/ci"
cmake --preset ci
cmake --build --preset ci

# Three tests more than there are processors: clang-tidy and two that compile give way to the others.
say "running the tests"
# shellcheck disable=SC2086 # two words or none
exec ctest --test-dir build/ci --output-on-failure --no-label-summary -j "$(($(nproc) + 3))" \
    $long_tests "$@"
