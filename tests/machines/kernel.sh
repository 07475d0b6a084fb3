#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# kernel.sh MACHINE - boots that machine's kernel of Debian under qemu-system, with init.sh for its
# first process and what the preset MACHINE has built. Skipped (77) without the emulator.
set -eu
machine=$1
if ! command -v "qemu-system-$machine" >/dev/null; then
    echo "qemu-system-$machine is not installed"
    exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
sh tests/support/fetch_root.sh "$machine" kernel
fetched=$PWD/build/machines/$machine
build=$PWD/build/$machine
folder=$build/tests/machines/boot
rm -rf "$folder"
mkdir -p "$folder/root"
cd "$folder/root"
mkdir -p bin dev lib programs proc sys tmp
install -m 755 "$here/init.sh" init
cp "$fetched/kernel/busybox" bin/
cp -d "$build/bin/ompcollect" bin/
cp -d "$build"/lib/*.so* lib/
cp "$build/tests/unit/unit-tests" programs/
for compiler in gcc clang; do
    cp "$build/tests/machines/programs/$compiler/known" "programs/$compiler"
    cp "$build/tests/machines/programs/$compiler/known-signed" "programs/$compiler-signed"
    cp "$build/tests/machines/programs/$compiler/sleeps" "programs/sleeps-$compiler"
done
# The libraries that these need, and the dynamic linker.
for name in ld-linux-aarch64.so.1 libbz2.so.1.0 libc.so.6 libdl.so.2 libdw.so.1 libelf.so.1 libgcc_s.so.1 libgomp.so.1 \
    liblzma.so.5 libm.so.6 libncursesw.so.6 libsqlite3.so.0 libstdc++.so.6 libtinfo.so.6 libz.so.1; do
    found=$(find "$fetched/root/lib" "$fetched/root/usr/lib" -name "$name" | head -n 1)
    cp -L "$found" lib/
done
cp -L "$fetched/libomp/19/lib/libomp.so.5" lib/
find . | cpio -o -H newc --quiet | gzip -1 > ../root.gz
cd ..

qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on -smp 2 -m 1G -nographic -nic none -no-reboot \
    -kernel "$fetched/kernel/vmlinuz" -initrd root.gz -append "console=ttyAMA0 quiet panic=-1" < /dev/null > console
python3 -B "$here/kernel.py" console
