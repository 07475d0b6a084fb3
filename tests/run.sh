#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds everything and runs every test: `sh tests/run.sh [--long] [ctest arguments]`, for example
# `sh tests/run.sh -R integration`. `sh tests/run.sh --quick [BASE]` builds and runs what belongs to
# the changes since this branch left BASE (main, if not given), by tests/quick.txt. From a machine with
# nothing prepared (Debian 12 or later, as root): installs the packages that are missing
# (cmake/needs.txt) and names them, fetches the libomp versions that the tests run on side by side into
# build/libomp/NN, then configures, builds and runs ctest in the preset `ci`. What is there already is
# not fetched again. --long adds the tests of many minutes.
# Some tests are about one version of a tool (fetch.sh).
set -eu

cd "$(dirname "$0")/.."

libomp_versions="13 14 15 16 19"
archer_versions="14 19"

say() {
    printf 'tests/run.sh: %s\n' "$*"
}
. tests/fetch.sh

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
        # Headers of gcc 12, but the newest libstdc++ to link, as GoogleTest's package may need it.
        newest=$(find "/usr/lib/gcc/$machine" -maxdepth 2 -name libstdc++.so | sort -V | tail -n 1)
        options="--gcc-toolchain=$target/gcc -L ${newest%/*}"
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

base=
if [ "${1:-}" = --quick ]; then
    shift
    base=main
    case ${1:-} in
    '' | -*) ;;
    *) base=$1 && shift ;;
    esac
fi
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
if [ -n "$base" ]; then
    . tests/quick.sh
    rows=$(changed_since "$base" | rows_of_changes)
    rooms=$(echo "$rows" | sed -n 's,\(.*\) .*,tests/\1/all,p' | sort -u)
    labels=$(echo "$rows" | sed 's/.* //' | sort -u | paste -sd '|' -)
    say "of the changes since $base: $(echo "$rows" | tr '\n' ';')"
    ctest --test-dir build/ci --output-on-failure -R "^check[.]($quick_checks)\$"
    if [ -z "$labels" ]; then
        exit 0
    fi
    # shellcheck disable=SC2086 # a list of words
    cmake --build --preset ci --target compat/all $rooms
    set -- -L "^($labels)\$" "$@"
else
    cmake --build --preset ci
fi

# Three tests more than there are processors: clang-tidy and two that compile give way to the others.
say "running the tests"
# shellcheck disable=SC2086 # two words or none
exec ctest --test-dir build/ci --output-on-failure --no-label-summary -j "$(($(nproc) + 3))" \
    $long_tests "$@"
