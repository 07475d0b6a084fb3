#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# installed.sh BUILD PROGRAM - what is installed works where it lies: staged by DESTDIR, moved to
# a folder with a space, read-only, for a user who is not root.
# PROGRAM is an OpenMP program that exits with 7 when told to. Nothing that no user starts or names
# lies in bin or lib, and the archive that cpack makes has the same tree.
set -eu
build=$(realpath "$1")
program=$2
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
chmod 755 "$work"
fail() {
    echo "installed.sh: $*" >&2
    exit 1
}

DESTDIR="$work/stage" cmake --install "$build" --prefix /opt/bridge >"$work/log"
moved="$work/a place"
mv "$work/stage/opt/bridge" "$moved"

# Libraries that people name, and folders.
for file in "$moved"/bin/* "$moved"/lib/*.so*; do
    case ${file##*/} in
    ompcollect | ompt-compliance | libgomp-ompt.so | libomp-collector-front.so) ;;
    libomp-collector-bridge.so* | libompcollect-default.so) ;;
    *) fail "$file is for nobody to name" ;;
    esac
done
# Programs that no user starts are in libexec: the rest of lib is loaded.
programs=$(find "$moved/lib" -type f -perm /111 ! -name '*.so*')
[ -z "$programs" ] || fail "programs in lib: $programs"
man=$(find "$moved" -name ompcollect.1.gz)
[ "$(zcat "$man" | groff -ww -b -z -man 2>&1)" = "" ] || fail "groff warns of the manual"

# The files that the archive of the components has.
(cd "$work" && cpack -G TGZ --config "$build/CPackConfig.cmake" -B "$work/packed" >"$work/log" 2>&1) ||
    { cat "$work/log"; exit 1; }
tar -C "$work" -xzf "$work"/packed/*.tar.gz
(cd "$work"/omp-collector-bridge-* && find . ! -type d | sort) >"$work/of_archive"
(cd "$moved" && find . ! -type d | sort) >"$work/of_installation"
[ -s "$work/of_archive" ] || fail "the archive is empty"
diff "$work/of_archive" "$work/of_installation" || fail "the archive has other files"

# A program of its own place, so that another user may read it.
cp "$program" "$work/program"
chmod 755 "$work/program"
chmod -R a-w "$moved"
mkdir -m 777 "$work/home" "$work/temporary"
run() {
    HOME="$work/home" TMPDIR="$work/temporary" OMP_NUM_THREADS=2 "$@"
}
as_nobody=
if [ "$(id -u)" = 0 ]; then
    as_nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
fi
for launcher in "$moved/bin/ompcollect" "$work"/omp-collector-bridge-*/bin/ompcollect; do
    code=0
    # shellcheck disable=SC2086 # words
    run $as_nobody "$launcher" "$work/program" exit 7 2>"$work/report" || code=$?
    [ $code = 7 ] && grep -q '^== OpenMP profile of ' "$work/report" ||
        { cat "$work/report"; fail "$launcher: exit code $code"; }
    "$launcher" --version | grep -q '(bridge [0-9]' || fail "--version does not find the bridge"
done

# What is preloaded finds the rest by its own place, too, where a program has dropped our variables.
for lib in "$work"/omp-collector-bridge-*/lib; do
    HOME="$work/home" TMPDIR="$work/temporary" OMP_NUM_THREADS=2 OCB_LOG=info \
        LD_PRELOAD="$lib/libgomp-ompt.so $lib/ompcollect/libompcollect-preload.so" \
        "$work/program" exit 7 2>"$work/log" || true
    grep -q 'session started' "$work/log" || { cat "$work/log"; fail "no session without the launcher"; }
done

# The module for Lmod: loaded it gives the launcher, the manual and the package for CMake, unloaded
# it leaves nothing. An archive's place has no space, which MODULEPATH could not have.
cat >"$work/module.bash" <<'END'
. /usr/share/lmod/lmod/init/bash
module use "$1/share/modulefiles"
variables() { env | grep -E '^(PATH|CMAKE_PREFIX_PATH|PKG_CONFIG_PATH)=' | sort; }
variables >"$2/before"
module load ompcollect || exit 1
[ "$(command -v ompcollect)" = "$1/bin/ompcollect" ] || exit 1
ompcollect --version || exit 1
man -w ompcollect | grep -q "^$1/" || exit 1
pkg-config --exists omp-collector-bridge || exit 1
[ "$CMAKE_PREFIX_PATH" = "$1" ] || exit 1
module unload ompcollect
variables | diff "$2/before" -
END
unpacked=$(echo "$work"/omp-collector-bridge-*)
env -u MANPATH -u CMAKE_PREFIX_PATH -u PKG_CONFIG_PATH PATH=/usr/bin:/bin LMOD_ALLOW_ROOT_USE=yes \
    bash --noprofile --norc -e "$work/module.bash" "$unpacked" "$work" >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "the module"; }
