#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# hidden.sh FOLDER - configures the project with each tool of cmake/needs.txt hidden in turn, in FOLDER
# and its own view of /usr. Without a tool that the launcher needs configuring ends with one line;
# without another one it goes on, and one line says what is left out. Both name the Debian package.
# Ends with 77 where a view of one's own cannot be had (a container without the right to mount).
set -eu
PATH=/usr/bin:/bin
if [ "${OCB_HIDDEN_INSIDE:-}" != yes ]; then
    rm -rf "$1"
    mkdir -p "$1/above"
    cd "$(dirname "$0")/../../.."
    # shellcheck disable=SC2016 # the other shell's
    unshare -m sh -c 'mount -t tmpfs tmpfs "$1" && mkdir "$1/files" "$1/work" &&
        mount -t overlay overlay -o "lowerdir=/usr,upperdir=$1/files,workdir=$1/work" /usr' sh "$1/above" 2>/dev/null || {
        echo "no view of /usr of one's own: nothing can be hidden"
        exit 77
    }
    OCB_HIDDEN_INSIDE=yes exec unshare -m sh "tests/checks/builds/${0##*/}" "$1"
fi
folder=$1
# The compiler of the project by a name that no row has.
CC=$(realpath "$(command -v cc)")
CXX=$(realpath "$(command -v c++)")
export CC CXX
unset CFLAGS CXXFLAGS
configure() {
    cmake -U 'OCB_*' -U '*_INCLUDE_DIR' --preset dev -B "$folder/build" -DOCB_BUILD_TESTS=ON >"$folder/said" 2>&1
}
configure || { cat "$folder/said"; exit 1; }
cp "$folder/said" "$folder/whole"

status=0
count=0
while IFS= read -r row; do
    name=$(printf '%s' "$row" | sed 's/ *|.*//')
    when=$(printf '%s' "$row" | sed 's/^[^|]*| *//; s/ *|.*//')
    kind=$(printf '%s' "$row" | sed 's/^[^|]*|[^|]*| *//; s/ .*//')
    names=$(printf '%s' "$row" | sed 's/^[^|]*|[^|]*| *[a-z]* *//; s/ *|.*//')
    package=$(printf '%s' "$row" | sed 's/^[^|]*|[^|]*|[^|]*| *//; s/ *|.*//; s/,[^ ]*//g')
    mount -t tmpfs tmpfs "$folder/above"
    mkdir "$folder/above/files" "$folder/above/work"
    mount -t overlay overlay -o "lowerdir=/usr,upperdir=$folder/above/files,workdir=$folder/above/work" /usr
    was_there=no
    for each in $names; do
        for file in /usr/bin/"${each##*/}" /usr/include/"$each" /usr/include/*-linux-gnu/"$each"; do
            if [ -f "$file" ]; then
                was_there=yes
                rm -f "$file"
            fi
        done
    done
    if configure; then
        ended=no
    else
        ended=yes
    fi
    if [ "$was_there" = no ]; then
        expected=$(grep -c "Left out: .*(Debian: $package" "$folder/whole" || true)
        [ "$expected" -gt 0 ] && [ "$ended" = no ] || { echo "$name is not here, and nobody says so"; status=1; }
    elif [ "$when" = launcher ]; then
        tr -s '\n ' ' ' <"$folder/said" | grep -q "compat/ needs .*(Debian: $package).* Install it" && [ "$ended" = yes ] ||
            { echo "without $name:"; tail -n 8 "$folder/said"; status=1; }
    elif [ "$ended" = yes ] || ! grep -q "Left out: .*(Debian: .*${package##* }" "$folder/said"; then
        echo "without $name ($kind):"
        tail -n 8 "$folder/said"
        status=1
    fi
    umount -l /usr
    umount -l "$folder/above"
    count=$((count + 1))
done <<END
$(grep -E '^OCB_[^|]*\|[^|]*\| (program|header) ' cmake/needs.txt)
END
echo "hidden in turn: $count"
[ "$count" -gt 20 ] || status=1
exit $status
