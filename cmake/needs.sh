# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# Installs what needs.txt lists, for compat/demo.sh and tests/fetch.sh, which read this file from the top
# of the sources. `say` is theirs, and "$offered" is a file of theirs, empty or none at first. Nothing
# is removed, and nothing is claimed to be there that is not.

# needs WHEN...: the packages of these kinds of rows, one in a line; alternatives still with commas.
needs() {
    for when in "$@"; do
        awk -F ' *[|] *' -v when="$when" '!/^#/ && $2 == when { print $4 }' cmake/needs.txt
    done | tr ' ' '\n' | sort -u
}

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# The version of libomp whose headers are installed: one at a time can be.
version_of_libomp() {
    dpkg-query -W -f='${db:Status-Status}/${Package}\n' 'libomp-*-dev' 2>/dev/null |
        sed -n 's#^installed/libomp-\([0-9]*\)-dev$#\1#p' | head -n 1
}

# What the system offers is asked once: an empty machine has no cache of it, and each question takes a
# second.
is_offered() {
    if [ ! -s "$offered" ]; then
        apt-cache --no-all-names pkgnames >"$offered" 2>/dev/null
    fi
    grep -qx "$1" "$offered"
}

# one_of A,B: the one that is installed, or else the first that the system offers.
one_of() {
    alternatives=$(printf '%s' "$1" | tr ',' ' ')
    for test in is_installed is_offered; do
        for package in $alternatives; do
            if $test "$package"; then
                echo "$package"
                return
            fi
        done
    done
    echo "${1%%,*}"
}

# Cause and cure of a failed apt-get, from what it printed.
why_apt_failed() {
    case $(tail -n 60 "$1") in
    *"Could not get lock"* | *"Unable to acquire the dpkg"* | *"is another process using it"*)
        echo "another process holds the lock of apt: wait until it has ended" ;;
    *"No space left"* | *"enough free space"*)
        echo "the disk is full: free $(sed -n 's/.*[Yy]ou don.t have enough free space in \([^ ]*\)\..*/space below \1/p' "$1" | head -n 1 | grep . || echo some space)" ;;
    *"Temporary failure resolving"* | *"Could not resolve"* | *"Could not connect"* | *"Network is unreachable"* | *"Failed to fetch"* | *"Unable to fetch"*)
        echo "the package mirror cannot be reached: check the network and the sources of apt" ;;
    *"Unable to locate package"* | *"has no installation candidate"*)
        echo "this system does not offer $(sed -n "s/.*Unable to locate package //p; s/.*Package '\{0,1\}\([^ ']*\)'\{0,1\} has no installation.*/\1/p" "$1" | sort -u | tr '\n' ' ')(cmake/needs.txt says what each is for)" ;;
    *"held packages"* | *"Held packages"* | *"held broken"* | *"remove is disabled"* | *"Remove is disabled"*)
        echo "packages are held back, or would take the place of others: see apt-mark showhold" ;;
    *)
        echo "apt-get failed; its last lines:"
        tail -n 5 "$1" ;;
    esac
}

# with_apt WORD...: apt-get, quietly; what it prints is shown where it fails.
with_apt() {
    apt_log=$(mktemp)
    if DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout="${OCB_APT_PATIENCE_S:-60}" \
        -o APT::Update::Error-Mode=any "$@" >"$apt_log" 2>&1 </dev/null; then
        rm -f "$apt_log"
        return
    fi
    say "$(why_apt_failed "$apt_log")" >&2
    rm -f "$apt_log"
    return 1
}

# The lists of a fresh container are empty; they are fetched once, where the first package is needed.
lists_are_fetched=no
fetch_lists() {
    if [ "$lists_are_fetched" = no ]; then
        rm -f "$offered"
        with_apt update || return 1
        lists_are_fetched=yes
    fi
}

# missing_of PACKAGE...: those that are not installed, each as one_of() names it. One with a "?" behind it
# is for a part that can be left out: it does not count where the system does not offer it, and where
# nobody could install it.
missing_of() {
    for each in "$@"; do
        package=$(one_of "${each%\?}")
        if is_installed "$package" || { [ "$each" != "${each%\?}" ] && ! { [ "$(id -u)" -eq 0 ] && is_offered "$package"; }; }; then
            continue
        fi
        echo "$package"
    done
}

# install PACKAGE...: installs those that are missing and names them. What to do where that cannot be
# is one line, and the result is 1.
install() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "this system has no apt: install what docs/INSTALL.md lists, and build by the presets of CMake" >&2
        return 1
    fi
    missing=$(missing_of "$@")
    if [ -z "$missing" ] && [ "$(id -u)" -ne 0 ]; then
        return
    fi
    if [ "$(id -u)" -ne 0 ]; then
        say "these packages are missing: $(echo $missing). Have them installed, or run this as root" >&2
        return 1
    fi
    # Without lists no package is offered, and nothing optional is missing.
    if [ -n "$missing" ] || ! is_offered apt; then
        fetch_lists || return 1
        missing=$(missing_of "$@")
    fi
    if [ -z "$missing" ]; then
        return
    fi
    say "installing $(echo $missing)"
    # shellcheck disable=SC2086 # a list of words
    with_apt --no-remove install --no-install-recommends $missing
}
