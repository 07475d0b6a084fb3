#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# fetch_root.sh MACHINE [kernel] - libraries of another machine (aarch64, ppc64le) from Debian's packages:
#   build/machines/MACHINE/root            what the launcher and its tests need, with a libc
#   build/machines/MACHINE/libomp/NN/lib   libomp.so.5 of each version
#   build/machines/MACHINE/kernel          where it is asked for: vmlinuz, and busybox
# apt works on lists and a state of its own there: nothing is installed. Each folder gets its name
# when it is complete; what is there is not fetched again.
set -eu
cd "$(dirname "$0")/../.."
machine=$1
case $machine in
aarch64) architecture=arm64 ;;
ppc64le) architecture=ppc64el ;;
*)
    echo "fetch_root.sh: Debian 12 has no packages for $machine"
    exit 1
    ;;
esac
libomp_versions="14 19"
folder=$PWD/build/machines/$machine
state=$folder/apt

# apt-get or apt-cache, and its arguments.
foreign() {
    tool=$1
    shift
    "$tool" -q -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
        -o Dir::State="$state" -o Dir::State::status="$state/status" -o Dir::Cache="$state" \
        -o Acquire::Languages=none -o APT::Sandbox::User=root "$@"
}

lists_fetched=no
fetch_lists() {
    if [ "$lists_fetched" = no ]; then
        mkdir -p "$state/lists/partial" "$state/archives/partial"
        : > "$state/status"
        foreign apt-get update || echo "fetch_root.sh: not every list came; a package that is missing is named below"
        lists_fetched=yes
    fi
}

if [ ! -d "$folder/root" ]; then
    fetch_lists
    foreign apt-get -y --no-install-recommends --download-only install libc6-dev libgomp1 libdw-dev libelf-dev \
        libsqlite3-dev zlib1g-dev libflatbuffers-dev libncurses-dev libprotozero-dev libcli11-dev nlohmann-json3-dev
    rm -rf "$folder/root.partial"
    mkdir -p "$folder/root.partial"
    for package in "$state"/archives/*.deb; do
        dpkg -x "$package" "$folder/root.partial"
    done
    # A link to /lib is to this machine's.
    find "$folder/root.partial" -type l -lname '/*' | while read -r link; do
        ln -sfnr "$folder/root.partial$(readlink "$link")" "$link"
    done
    rm -f "$state"/archives/*.deb
    mv "$folder/root.partial" "$folder/root"
fi

for version in $libomp_versions; do
    if [ ! -d "$folder/libomp/$version" ]; then
        fetch_lists
        rm -rf "$folder/libomp/partial"
        mkdir -p "$folder/libomp/partial/lib"
        (cd "$folder/libomp/partial" && foreign apt-get download "libomp5-$version" && dpkg -x libomp5-*.deb package)
        mv "$folder/libomp/partial/package/usr/lib/llvm-$version/lib/libomp.so.5" "$folder/libomp/partial/lib/"
        rm -rf "$folder/libomp/partial/package" "$folder"/libomp/partial/*.deb
        ln -s libomp.so.5 "$folder/libomp/partial/lib/libomp.so"
        mv "$folder/libomp/partial" "$folder/libomp/$version"
    fi
done

if [ "${2:-}" = kernel ] && [ ! -d "$folder/kernel" ]; then
    fetch_lists
    rm -rf "$folder/kernel.partial"
    mkdir -p "$folder/kernel.partial/package"
    # The package of that name only names the newest one.
    kernel=$(foreign apt-cache depends "linux-image-$architecture" | sed -n 's/^ *Depends: *//p' | head -n 1)
    (cd "$folder/kernel.partial" && foreign apt-get download "$kernel" busybox-static)
    for package in "$folder/kernel.partial"/*.deb; do
        dpkg -x "$package" "$folder/kernel.partial/package"
    done
    mv "$folder/kernel.partial/package/boot"/vmlinuz-* "$folder/kernel.partial/vmlinuz"
    mv "$folder/kernel.partial/package/bin/busybox" "$folder/kernel.partial/busybox"
    rm -rf "$folder/kernel.partial/package" "$folder/kernel.partial"/*.deb
    mv "$folder/kernel.partial" "$folder/kernel"
fi
