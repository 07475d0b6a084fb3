# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# Packages and runtimes for tests/run.sh and tests/bench/run.sh, which read this file from the top of
# the sources, with a `say` of their own. What a later Debian has no more comes from Debian 12's
# packages, without a change of the system's sources. Nothing is removed.
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
    case $(version_of_libomp) in
    "" | 14) ;;
    *) with_another_libomp=yes ;;
    esac
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
