#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# shared_stdcxx.sh BUILD CXX PROGRAM - where the compiler has no static libstdc++, as on Enterprise
# Linux without libstdc++-static: configuring goes on with one line, and the launcher that is linked
# so profiles PROGRAM (built by gcc, exits with 7). BUILD's own launcher is linked a second time, by
# the command of a build whose compiler has none.
set -eu
build=$(realpath "$1")
cxx=$2
program=$3
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "shared_stdcxx.sh: $*" >&2
    exit 1
}

cat >"$work/c++" <<END_OF_COMPILER
#!/bin/sh
case " \$* " in
*" -static-libstdc++ "*) echo "/usr/bin/ld: cannot find -lstdc++" >&2; exit 1 ;;
esac
exec "$cxx" "\$@"
END_OF_COMPILER
chmod 755 "$work/c++"
configure() {
    cmake -G Ninja -S . -B "$work/$1" -DCMAKE_CXX_COMPILER="$2" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DOCB_BUILD_TESTS=OFF >"$work/$1.log" 2>&1 || { cat "$work/$1.log"; fail "configuring fails"; }
    ninja -C "$work/$1" -t commands ompcollect >"$work/$1.commands"
}
line='The compiler has no static libstdc++ (libstdc++-static): ompcollect takes the shared one'
configure without "$work/c++"
[ "$(grep -cF "$line" "$work/without.log")" = 1 ] || { cat "$work/without.log"; fail "no line"; }
grep -q -- -static-libstdc++ "$work/without.commands" && fail "the static one is asked for all the same"
configure with "$cxx"
grep -qF "$line" "$work/with.log" && fail "the static one is there, and not found"
grep -q -- '-static-libstdc++ -static-libgcc' "$work/with.commands" || fail "the static one is not asked for"

# The launcher looks for its parts beside itself.
mkdir "$work/bin"
ln -s "$build/lib" "$work/lib"
link=$(ninja -C "$build" -t commands ompcollect | grep -- '-o bin/ompcollect ' | tail -n 1 |
    sed "s,-static-libstdc++ -static-libgcc,,; s,-o bin/ompcollect ,-o '$work/bin/ompcollect' ,; s, && cd .*,,")
(cd "$build" && sh -c "$link") || fail "not linked: $link"
readelf -d "$work/bin/ompcollect" | grep -q 'NEEDED.*libstdc++' || fail "it does not need the shared one"
readelf -d "$build/bin/ompcollect" | grep -q 'NEEDED.*libstdc++' && fail "$build/bin/ompcollect needs the shared one"
code=0
"$work/bin/ompcollect" "$program" exit 7 2>"$work/report" || code=$?
[ $code = 7 ] && grep -q '^== OpenMP profile of ' "$work/report" || { cat "$work/report"; fail "exit code $code"; }
