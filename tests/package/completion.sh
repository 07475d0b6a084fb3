#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# completion.sh OMPCOLLECT - what bash, zsh and fish offer behind `ompcollect report --format` are the
# formats of --help, and each shell knows every option of --help of each command.
set -eu
ompcollect=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
complain() {
    echo "completion.sh: $*"
    status=1
}
for shell in bash zsh fish; do
    "$ompcollect" --print-completion $shell >"$work/$shell"
done

cat >"$work/ask.bash" <<'END'
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_ompcollect
printf '%s\n' "${COMPREPLY[@]}"
END
# zsh's own functions need a terminal; what they are told is printed in their place.
cat >"$work/ask.zsh" <<'END'
script=$1; shift
_arguments() { print -l -- "$@" }
compadd() { print -l -- "$@" }
words=("$@"); CURRENT=$#
source $script
_ompcollect
END
asked() {
    shell=$1
    shift
    case $shell in
    bash) bash --norc "$work/ask.bash" "$work/bash" "$@" ;;
    zsh) zsh -f "$work/ask.zsh" "$work/zsh" "$@" ;;
    fish) fish --no-config -c "source $work/fish; complete -C '$*'" ;;
    esac
}

formats=$("$ompcollect" report --help | sed -n 's/.*--format \([a-z|0-9-]*\).*/\1/p' | tr '|' ' ')
[ -n "$formats" ] || complain "no formats in --help"
for shell in bash zsh fish; do
    asked $shell ompcollect report --format '' >"$work/offered"
    for format in $formats; do
        grep -qw -- "$format" "$work/offered" || complain "$shell does not offer the format $format"
    done
    for command in '' report view diff merge; do
        # shellcheck disable=SC2086 # no command is no word
        options=$("$ompcollect" $command --help | grep -o -- '^  \(-[a-zA-Z],\)\?--[a-z-]*' | grep -o -- '--[a-z-]*')
        [ -n "$options" ] || complain "no options in the help of '$command'"
        # shellcheck disable=SC2086
        asked $shell ompcollect $command -- >"$work/offered"
        for option in $options; do
            grep -q -- "$option" "$work/offered" || complain "$shell: '$command' has no $option"
        done
    done
    asked $shell ompcollect '' >"$work/offered"
    grep -qw diff "$work/offered" || complain "$shell does not offer the command diff"
done
exit $status
