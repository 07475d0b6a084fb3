# SPDX-License-Identifier: Apache-2.0
#
# Read by the other scripts with `.`: goes to the top of the sources and defines
#   tracked PATTERN...   prints the files under version control that match, one per line; where
#                        there is no repository (an unpacked archive), all files outside build/
# Paths with a space would be split by the users of the list: there are none, which is checked.
cd "$(dirname "$0")"
while [ ! -f CMakePresets.json ] && [ "$PWD" != / ]; do
    cd ..
done

tracked() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        files=$(git ls-files -- "$@")
    else
        set -f
        expression=
        for pattern in "$@"; do
            case $pattern in
            */*) test="-path ./$pattern" ;;
            *) test="-name $pattern" ;;
            esac
            expression="$expression${expression:+ -o} $test"
        done
        # shellcheck disable=SC2086 # a list of words
        files=$(find . -path ./build -prune -o -type f \( $expression \) -print)
        set +f
    fi
    # A name that was removed but not yet committed is still listed.
    printf '%s\n' "$files" | while IFS= read -r file; do
        case $file in
        *\ *)
            echo "a space in the name of $file" >&2
            exit 1
            ;;
        esac
        if [ -f "$file" ]; then
            printf '%s\n' "$file"
        fi
    done
}

# Fails where a list has no entry: a check of nothing would pass.
require() {
    if [ -z "$1" ]; then
        echo "nothing to check" >&2
        exit 1
    fi
}
