#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# fresh_machines.sh WORK [RELEASE[:STATE]...] - README's commands on machines where nobody prepared
# anything: root file systems of Debian 12, 13 and sid with apt, git and g++, each STATE in a new one.
# Prints a row of docs/INSTALL.md for each (machine, state, result, seconds), and ends with 1 if one
# failed; its output is in WORK/RELEASE-STATE.log. Without names: each release, each state (hours, of
# which the states `tests` take most). WORK keeps the file systems.
# Needs root, the network, mmdebstrap, and a kernel with overlayfs.
set -eu
mkdir -p "$1"
work=$(realpath "$1")
shift
cd "$(dirname "$0")/../.."
command -v mmdebstrap >/dev/null || { echo "mmdebstrap is not installed"; exit 77; }
releases="bookworm trixie sid"
states="demo release-gcc release-clang user blanks archive umask environment no-locale
no-network disk-full apt-locked held no-apt other-libomp hidden deb tests"

# A root that is never written to: what is done in a state lies above it.
make_root() {
    if [ -d "$work/$1/usr/bin" ]; then
        return
    fi
    # A mirror that stands still has lists that are out of date.
    mmdebstrap --mode=root --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' \
        --include=git,g++ "$1" "$work/$1.partial" >"$work/$1.log" 2>&1 || { tail -n 20 "$work/$1.log"; exit 1; }
    mv "$work/$1.partial" "$work/$1"
}

# Mounts are of this process alone, and go with it.
if [ "${OCB_FRESH_INSIDE:-}" != yes ]; then
    failed=0
    for each in ${*:-$releases}; do
        release=${each%%:*}
        make_root "$release"
        chosen=$states
        if [ "$each" != "$release" ]; then
            chosen=${each#*:}
        fi
        for state in $chosen; do
            OCB_FRESH_INSIDE=yes unshare -m sh "$0" "$work" "$release" "$state" || failed=1
        done
    done
    exit $failed
fi

release=$1
state=$2
log=$work/$release-$state.log
root=$work/$release-$state
upper=$root.above
rm -rf "$upper"
mkdir -p "$upper/files" "$upper/work" "$root"
mount -t overlay overlay -o "lowerdir=$work/$release,upperdir=$upper/files,workdir=$upper/work" "$root"
for folder in proc sys dev; do
    mount --rbind "/$folder" "$root/$folder"
done
mount -t tmpfs tmpfs "$root/tmp"
chmod 1777 "$root/tmp"
for file in resolv.conf hosts; do
    cat "/etc/$file" >"$root/etc/$file"
done

# inside COMMAND: in the root, as its user, in the sources, with nothing of this environment.
user=root
place=/srv/omp-collector-bridge
inside() {
    echo "+ $*"
    chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/srv TERM=dumb \
        su -s /bin/sh "$user" -c "cd '$place' && $*"
}
sources() {
    mkdir -p "$root$place"
    git ls-files -z | grep -zv '^build/' | xargs -0 tar cf - | tar xf - -C "$root$place" --no-same-owner
    inside git init -q . ">/dev/null 2>&1" || true
    inside "git add -A && git -c user.name=a -c user.email=a@b commit -qm sources"
}
say() {
    printf '%s\n' "$*"
}
packages() { # of rows of needs.txt
    inside "say() { echo \"\$*\"; }; offered=/tmp/offered; . cmake/needs.sh; install \$(needs $*)"
}
by_preset() {
    inside "cmake --preset release $* && cmake --build --preset release"
    inside "build/release/bin/ompcollect --version"
    if [ "${warnings:-none}" = none ] && grep -q 'warning:' "$log"; then
        say "the compiler warns"
        return 1
    fi
}
is_profiled() { # twice for the two programs
    [ "$(grep -c '^Verdict: ' "$log")" -ge "${1:-2}" ]
}
# refuses WORDS COMMAND: it fails, its last line has the words, and it is one line.
refuses() {
    words=$1
    shift
    if inside "$*" >"$work/said" 2>&1; then
        cat "$work/said"
        say "it did not fail"
        return 1
    fi
    cat "$work/said"
    grep -q "demo.sh: .*$words" "$work/said" && ! grep -q 'Verdict' "$work/said"
}

steps() {
    case $state in
    demo)
        sources
        { inside "sh compat/demo.sh" && say "the demo has ended"; } | while IFS= read -r line; do
            say "$line"
            case $line in
            "Verdict: "*) say "to the first verdict: $(($(date +%s) - begun)) s" ;;
            esac
        done
        grep -q '^the demo has ended' "$log"
        is_profiled
        inside "sh compat/demo.sh"
        is_profiled 4
        ;;
    tests)
        # Behind the demo, which has installed the system's own clang and libomp.
        sources
        packages build launcher demo
        inside "apt-get -q -y install --no-install-recommends clang libomp-dev >/dev/null"
        inside "sh tests/run.sh"
        grep -q '^100% tests passed' "$log"
        ;;
    release-gcc)
        sources
        packages build launcher
        by_preset
        ;;
    release-clang)
        sources
        packages build launcher
        # The newest clang alone: gcc's library is what it takes, its compilers are gone.
        inside "apt-get -q update >/dev/null"
        version=$(inside "apt-cache pkgnames clang-" | sed -n 's/^clang-\([0-9]*\)$/\1/p' | sort -n | tail -n 1)
        inside "apt-get -q -y install --no-install-recommends clang-$version >/dev/null"
        for name in gcc g++ cc c++; do
            for file in "$root/usr/bin/$name" "$root"/usr/bin/$name-[0-9]* "$root"/usr/bin/x86_64-linux-gnu-$name "$root"/usr/bin/x86_64-linux-gnu-$name-[0-9]*; do
                rm -f "$file"
            done
        done
        inside "CC=clang-$version CXX=clang++-$version cmake --preset release && cmake --build --preset release"
        inside "build/release/bin/ompcollect --version"
        ! grep -q 'warning:' "$log"
        ;;
    user)
        sources
        packages build launcher demo
        # Not by useradd, which an empty Debian 13 has not.
        echo "someone:x:1000:1000::/srv/someone:/bin/sh" >>"$root/etc/passwd"
        echo "someone:x:1000:" >>"$root/etc/group"
        echo "someone:*:20000:0:99999:7:::" >>"$root/etc/shadow"
        inside "mkdir /srv/someone && cp -r . /srv/someone/bridge && chown -R someone /srv/someone"
        user=someone
        place=/srv/someone/bridge
        inside "sh compat/demo.sh"
        is_profiled 1
        ;;
    blanks)
        place="/srv/a folder/of (mine)"
        sources
        inside "sh compat/demo.sh"
        is_profiled
        ;;
    archive)
        mkdir -p "$root$place"
        git archive HEAD | tar xf - -C "$root$place"
        inside "sh compat/demo.sh"
        is_profiled
        ;;
    umask)
        sources
        inside "umask 077; sh compat/demo.sh"
        is_profiled
        ;;
    environment)
        sources
        packages build launcher demo
        inside "apt-get -q -y install --no-install-recommends clang libomp-dev >/dev/null"
        inside "CC=clang CXX=clang++ CFLAGS='-O3 -g' CXXFLAGS='-O3 -g' LDFLAGS=-Wl,-O1 sh compat/demo.sh"
        is_profiled
        ;;
    no-locale)
        sources
        inside "LC_ALL=of_nowhere sh compat/demo.sh"
        is_profiled
        ;;
    no-network)
        sources
        chmod 755 "$root"
        refuses "cannot be reached" "unshare -n sh compat/demo.sh"
        ;;
    disk-full)
        sources
        packages build launcher demo
        mkdir -p "$root$place/build"
        mount -t tmpfs -o size=2m tmpfs "$root$place/build"
        refuses "free space" "sh compat/demo.sh"
        ;;
    apt-locked)
        sources
        inside "apt-get -q update >/dev/null && apt-get -q -y install --no-install-recommends python3-minimal >/dev/null"
        printf 'import fcntl, time\nfile = open("/var/lib/dpkg/lock-frontend", "w")\nfcntl.lockf(file, fcntl.LOCK_EX)\ntime.sleep(60)\n' >"$root/srv/lock.py"
        inside "python3 /srv/lock.py & sleep 1"
        refuses "lock of apt" "OCB_APT_PATIENCE_S=2 sh compat/demo.sh"
        ;;
    held)
        sources
        inside "apt-get -q update >/dev/null && printf 'Package: cmake\nPin: version *\nPin-Priority: -1\n' >/etc/apt/preferences.d/none"
        refuses "does not offer cmake" "sh compat/demo.sh"
        ;;
    no-apt)
        sources
        rm -f "$root/usr/bin/apt-get"
        refuses "no apt" "sh compat/demo.sh"
        ;;
    other-libomp)
        # A libomp that the user has chosen stays, and is taken.
        sources
        inside "apt-get -q update >/dev/null"
        version=$(inside "apt-cache pkgnames libomp-" 2>/dev/null | sed -n 's/^libomp-\([0-9]*\)-dev$/\1/p' | sort -n | tail -n 1)
        inside "apt-get -q -y install --no-install-recommends libomp-$version-dev >/dev/null"
        inside "sh compat/demo.sh"
        is_profiled
        inside "dpkg -s libomp-$version-dev >/dev/null"
        ;;
    hidden)
        # Each tool that CMake looks for, hidden: one line, and all else is built.
        sources
        packages build launcher
        inside "apt-get -q -y install --no-install-recommends mount python3 libgtest-dev libgmock-dev clang libomp-dev >/dev/null"
        inside "sh tests/checks/builds/hidden.sh /tmp/hidden"
        ;;
    deb)
        # What Debian 12 has packed is installed on each.
        sources
        if [ "$release" = bookworm ]; then
            packages build launcher
            inside "apt-get -q -y install --no-install-recommends dpkg-dev file >/dev/null"
            inside "cmake --preset release -DOCB_HARDEN=ON -DCMAKE_INSTALL_PREFIX=/usr -DOCB_DEBIAN_FILES=ON"
            inside "cmake --build --preset release && cd build/release && cpack -G DEB"
            rm -rf "$work/deb"
            mkdir "$work/deb"
            cp "$root$place"/build/release/*.deb "$work/deb/"
        fi
        mkdir "$root/srv/deb"
        cp "$work"/deb/libomp-collector-bridge0_*.deb "$work"/deb/ompcollect_*.deb "$root/srv/deb/"
        inside "apt-get -q update >/dev/null && apt-get -q -y install --no-install-recommends /srv/deb/*.deb clustalo >/dev/null"
        inside "sh compat/ompcollect/demo/make_fasta.sh >/srv/proteins.fa && ompcollect -- clustalo --threads=2 -i /srv/proteins.fa -o /srv/out.fa"
        is_profiled 1
        ;;
    esac
}

begun=$(date +%s)
result=passed
# Not with `set -e` in a condition: each step ends it.
if (set -e; steps) >"$log" 2>&1 & wait $!; then :; else result="FAILED"; fi
seconds=$(($(date +%s) - begun))
first=$(sed -n 's/^to the first verdict: \([0-9]*\) s/, to the first verdict \1/p' "$log" | head -n 1)
count=$(sed -n 's/^100% tests passed, 0 tests failed out of \([0-9]*\)/ \1 tests/p' "$log")
echo "| $release | $state | $result$count | $seconds$first |"
umount -l "$root"
rm -rf --one-file-system "$upper" "$root"
[ "$result" = passed ]
