#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The first profile, from a machine with nothing prepared (Debian 12 or later, as root; as another
# user where the packages are there): installs the packages that are missing, builds the preset
# release, and profiles two programs. One is clustalo from Debian, built by gcc for libgomp. The
# other is demo-proportions, built by clang for libomp, which says what its profile should look like.
# What is there already is neither installed nor built again.
set -eu
cd "$(dirname "$0")/.."

say() {
    printf 'demo.sh: %s\n' "$*"
}
. cmake/needs.sh

log=$(mktemp) || { say "no temporary file can be made: free space below ${TMPDIR:-/tmp}" >&2; exit 1; }
work=$(mktemp -d)
offered=$work/offered
trap 'rm -rf "$work" "$log"' EXIT
trap 'exit 1' HUP INT TERM

# step CURE COMMAND...: its last lines are shown where it fails, and what to do.
step() {
    cure=$1
    shift
    if ! "$@" >"$log" 2>&1; then
        grep -E 'error|Error|FAILED|No space' "$log" | head -n 8 >&2 || true
        say "the last lines of \"$1 $2\":" >&2
        tail -n 12 "$log" >&2
        if grep -q 'No space left' "$log"; then
            cure="free space on this disk"
        fi
        say "$cure, and run this again" >&2
        exit 1
    fi
}

# A clang and libomp of one version, whichever the system has; each with "?", as the profiler is worth
# having without the second program.
clang_of_system() {
    for clang in clang-14 clang; do
        if printf 'int main(void){\n#pragma omp parallel\n{}\nreturn 0;}' |
            "$clang" -fopenmp -x c - -o "$work/links" 2>/dev/null; then
            return
        fi
    done
    version=$(version_of_libomp)
    if [ -n "$version" ]; then
        echo "clang-$version?"
    else
        echo "clang? libomp-dev?"
    fi
}

# shellcheck disable=SC2046 # lists of words
install $(needs build launcher demo) $(clang_of_system) || exit 1

say "building build/release: half a minute to two minutes"
step "install what is named above" cmake --preset release
build="cmake --build build/release --target demo"
if [ -t 1 ]; then # ninja shows its progress in one line
    $build || { say "mend what is named above, and run this again" >&2; exit 1; }
fi
# shellcheck disable=SC2086 # words
step "mend what is named above" $build

launcher=build/release/bin/ompcollect
say "clustalo aligns 60 protein sequences on two threads"
sh compat/ompcollect/demo/make_fasta.sh >"$work/proteins.fa"
# It has 25,000 short regions. A thread that spins while another process has the processor of its
# partner would make them last minutes.
OMP_WAIT_POLICY=passive $launcher -- \
    clustalo --threads=2 --force --infile="$work/proteins.fa" --outfile="$work/aligned.fa"
say "$(grep -c '^>' "$work/aligned.fa") sequences aligned"

if [ -x build/release/bin/demo-proportions ]; then
    say "demo-proportions, whose shares are known"
    KMP_FORCE_REDUCTION=critical $launcher -- build/release/bin/demo-proportions
else
    say "demo-proportions is left out: no clang links OpenMP here (Debian: clang libomp-dev)"
fi

say "profile yours:      $launcher ./program arguments"
say "save it, open it:   $launcher -o run.ompc ./program; $launcher report run.ompc --open"
say "read the report:    docs/START.md; all documents: README.md"
