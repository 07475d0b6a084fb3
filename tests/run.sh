#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds everything and runs every test: `sh tests/run.sh [--long] [ctest arguments]`, for example
# `sh tests/run.sh -R integration`. From a machine with nothing prepared (Debian 12 or later, as root):
# installs the packages that are missing (cmake/needs.txt) and names them, fetches the libomp versions
# that the tests run on side by side into build/libomp/NN, then configures, builds and runs ctest in
# the preset `ci`. What is there already is not fetched again. --long adds the tests of many minutes.
# Some tests are about one version of a tool. What a later Debian has no more comes from Debian 12's
# packages, without a change of the system's sources. Nothing is removed for it.
set -eu

cd "$(dirname "$0")/.."

libomp_versions="13 14 15 16 19"
archer_versions="14 19"

say() {
    printf 'tests/run.sh: %s\n' "$*"
}
. cmake/needs.sh
mkdir -p build
offered=build/packages-offered
rm -f "$offered"

# Sources of Debian 12 beside the system's, at the system's own mirror; made once.
sources_of_debian_12() {
    folder=$PWD/build/debian12
    if [ -d "$folder/lists/partial" ]; then
        return
    fi
    mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
        sed -n 's/^deb .*\(https\{0,1\}:[^ ]*debian\/\{0,1\}\) .*/\1/p; s/^URIs: *\(https\{0,1\}:[^ ]*debian\/\{0,1\}\)$/\1/p' | head -n 1)
    if [ -z "$mirror" ]; then
        say "no source of apt is a mirror of Debian, which has the fixed versions of some tests" >&2
        return 1
    fi
    mkdir -p "$folder/sources" "$folder/preferences" "$folder/lists/partial"
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        if [ -f "$list" ]; then
            cp "$list" "$folder/sources/"
        fi
    done
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    printf 'deb [signed-by=%s check-valid-until=no] %s bookworm main\n' "$keyring" "$mirror" >"$folder/sources/debian12.list"
    printf 'Package: *\nPin: release n=bookworm\nPin-Priority: 100\n' >"$folder/preferences/debian12"
}

# apt_with_debian_12 WORD...: apt-get that knows Debian 12's packages, too.
apt_with_debian_12() {
    with_apt -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$folder/sources" \
        -o "Dir::Etc::PreferencesParts=$folder/preferences" -o "Dir::State::Lists=$folder/lists" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "$@"
}

# fetch PACKAGE FOLDER: unpacks a package there, whichever of the two has it.
fetch() {
    fetch_lists
    mkdir -p "$2"
    if is_offered "$1"; then
        (cd "$2" && with_apt -o APT::Sandbox::User=root download "$1")
    else
        know_debian_12
        (cd "$2" && apt_with_debian_12 -o APT::Sandbox::User=root download "$1")
    fi
    dpkg -x "$2/$1"_*.deb "$2"
    rm "$2/$1"_*.deb
}

# The lists of both, once in a run.
knows_debian_12=no
know_debian_12() {
    if [ "$knows_debian_12" = no ]; then
        sources_of_debian_12
        apt_with_debian_12 update
        knows_debian_12=yes
    fi
}

# The packages of rows of these kinds; those that this system has no more, from Debian 12.
install_all() {
    # Two runtimes with their headers cannot be installed together: the one that is there stays.
    with_another_libomp=no
    for package in $(dpkg-query -W -f='${db:Status-Status}/${Package}\n' 'libomp-*-dev' 2>/dev/null); do
        case $package in
        installed/libomp-14-dev) with_another_libomp=no && break ;;
        installed/libomp-[0-9]*) with_another_libomp=yes ;;
        esac
    done
    wanted="$(needs "$@") $(for kind in "$@"; do
        case $kind in
        test) sh tests/compat/real-programs/same_as_plain.sh --packages short ;;
        long) sh tests/compat/real-programs/same_as_plain.sh --packages long ;;
        esac
    done)"
    if [ "$with_another_libomp" = yes ]; then
        wanted=$(printf '%s\n' $wanted | grep -vx 'libomp-14-dev\|libomp-dev')
    fi
    # shellcheck disable=SC2086 # lists of words
    if [ -n "$(missing_of $wanted)" ]; then
        if [ "$(id -u)" -eq 0 ]; then
            fetch_lists
        fi
        here=
        of_12=
        for each in $wanted; do
            package=$(one_of "$each")
            if is_installed "$package" || is_offered "$package"; then
                here="$here $package"
            else
                of_12="$of_12 $package"
            fi
        done
        install $here
        if [ -n "$of_12" ]; then
            know_debian_12
            say "installing of Debian 12:$of_12"
            apt_with_debian_12 --no-remove install --no-install-recommends $of_12
        fi
    else
        say "all packages are installed"
    fi
}

# build/libomp/NN/lib/libomp.so.5, one folder per version. It gets its name when it is complete, so
# an interrupted run leaves nothing that looks finished.
fetch_libomp() {
    target=build/libomp/$1
    if [ -f "$target/lib/libomp.so.5" ]; then
        return
    fi
    say "fetching libomp5-$1 into $target"
    rm -rf "$target.partial" "$target"
    fetch "libomp5-$1" "$target.partial/package"
    mkdir "$target.partial/lib"
    cp "$target.partial/package/usr/lib/llvm-$1/lib/libomp.so.5" "$target.partial/lib/"
    rm -rf "$target.partial/package"
    mv "$target.partial" "$target"
}

# build/libomp/NN/archer/libarcher.so, likewise: libarcher, which libomp looks for by itself, has a
# folder of its own.
fetch_archer() {
    target=build/libomp/$1/archer
    if [ -f "$target/libarcher.so" ]; then
        return
    fi
    say "fetching libarcher of libomp-$1-dev into $target"
    rm -rf "$target.partial" "$target"
    fetch "libomp-$1-dev" "$target.partial/package"
    cp "$target.partial/package/usr/lib/llvm-$1/lib/libarcher.so" "$target.partial/"
    rm -rf "$target.partial/package"
    mv "$target.partial" "$target"
}

# Whether there is a libstdc++ that clang 14 cannot read, and takes.
has_newer_libstdcxx() {
    for folder in /usr/include/c++/*; do
        if [ "${folder##*/}" -gt 12 ]; then
            return 0
        fi
    done
    return 1
}

# build/clang-14: what is called as clang 14 and clang-tidy 14 takes gcc 12's libraries and, where the
# system has another libomp, headers and library of libomp 14. Programs that it links run on that unless
# LD_LIBRARY_PATH says otherwise.
make_clang_14() {
    target=$PWD/build/clang-14
    machine=$(gcc-12 -dumpmachine)
    if [ ! -x "$target/clang-tidy-14" ]; then
        rm -rf "$target.partial" "$target"
        mkdir -p "$target.partial/gcc/lib/gcc/$machine" "$target.partial/gcc/lib/gcc-cross/aarch64-linux-gnu"
        ln -s "/usr/lib/gcc/$machine/12" "$target.partial/gcc/lib/gcc/$machine/12"
        ln -s /usr/lib/gcc-cross/aarch64-linux-gnu/12 "$target.partial/gcc/lib/gcc-cross/aarch64-linux-gnu/12"
        options="--gcc-toolchain=$target/gcc"
        if [ "$with_another_libomp" = yes ]; then
            say "fetching libomp-14-dev into build/clang-14, as another libomp is installed"
            fetch libomp-14-dev "$target.partial/package"
            mkdir "$target.partial/include" "$target.partial/lib"
            cp "$target.partial"/package/usr/lib/llvm-14/lib/clang/*/include/omp*.h "$target.partial/include/"
            ln -s "$PWD/build/libomp/14/lib/libomp.so.5" "$target.partial/lib/libomp.so"
            rm -rf "$target.partial/package"
            options="$options -isystem $target/include -L $target/lib -Wl,-rpath,$PWD/build/libomp/14/lib"
        fi
        for name in clang-14 clang++-14; do
            printf '#!/bin/sh\nexec /usr/bin/%s --start-no-unused-arguments %s --end-no-unused-arguments "$@"\n' \
                "$name" "$options" >"$target.partial/$name"
        done
        printf '#!/bin/sh\nexec /usr/bin/clang-tidy-14 --extra-arg=--gcc-toolchain=%s/gcc "$@"\n' "$target" \
            >"$target.partial/clang-tidy-14"
        chmod 755 "$target.partial"/clang*
        mv "$target.partial" "$target"
    fi
    PATH=$target:$PATH
    export PATH
}

# build/foreign/gcc.tar.xz and llvm.tar.xz: sources whose testsuites tests/libgomp/foreign runs.
fetch_foreign_suites() {
    target=build/foreign
    if [ ! -f "$target/gcc.tar.xz" ]; then
        say "fetching the sources of gcc 12 into $target"
        fetch gcc-12-source "$target/package"
        mv "$target"/package/usr/src/gcc-12/gcc-12*.tar.xz "$target/gcc.tar.xz"
        rm -rf "$target/package"
    fi
    if [ ! -f "$target/llvm.tar.xz" ]; then
        say "fetching the sources of LLVM 14 into $target"
        partial=$PWD/$target/llvm.partial
        rm -rf "$partial"
        mkdir -p "$partial/lists/partial" "$partial/parts"
        sources_of_debian_12
        sed 's/^deb /deb-src /' "$folder/sources/debian12.list" >"$partial/parts/debian12.list"
        (cd "$partial" && for step in update "source --download-only llvm-toolchain-14"; do
            # shellcheck disable=SC2086 # words
            with_apt -o APT::Sandbox::User=root -o Dir::Etc::SourceList=/dev/null \
                -o Dir::Etc::SourceParts="$partial/parts" -o Dir::State::Lists="$partial/lists" $step
        done)
        mv "$partial"/llvm-toolchain-14_*.orig.tar.xz "$target/llvm.tar.xz"
        rm -rf "$partial"
    fi
}

long_tests="-LE long"
kinds="build launcher test"
is_long=no
if [ "${1:-}" = --long ]; then
    long_tests=
    is_long=yes
    export OCB_TEST_LONG=1
    kinds="$kinds long"
    shift
fi

# shellcheck disable=SC2086 # a list of words
install_all $kinds
for version in $libomp_versions; do
    fetch_libomp "$version"
done
for version in $archer_versions; do
    fetch_archer "$version"
done
if [ "$with_another_libomp" = yes ] || has_newer_libstdcxx; then
    make_clang_14
fi
if [ "$is_long" = yes ]; then
    fetch_foreign_suites
fi

# Of this build and of those that tests begin. ninja by itself begins two compilers more, which then
# take each other's cache.
CMAKE_BUILD_PARALLEL_LEVEL=$(nproc)
export CMAKE_BUILD_PARALLEL_LEVEL

say "configuring and building build/ci"
cmake --preset ci -DOCB_TESTS_NEED_ALL=ON
cmake --build --preset ci

# Three tests more than there are processors: clang-tidy and two that compile give way to the others.
say "running the tests"
# shellcheck disable=SC2086 # two words or none
exec ctest --test-dir build/ci --output-on-failure --no-label-summary -j "$(($(nproc) + 3))" \
    $long_tests "$@"
