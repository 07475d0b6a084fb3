#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tidy.sh BUILD_FOLDER - clang-tidy 14 with the .clang-tidy of this project over the C and C++
# sources that the build compiles; any warning is an error, clang's own ones too. Options of gcc
# alone are let pass.
#
# A file that was clean has a stamp, BUILD_FOLDER/tidy/stamps/KEY. The key stands for all that the
# result depends on: the compile command, the contents of the file and of all that it includes
# (ninja's record of the last build), every .clang-tidy and clang-tidy's version. A file that the
# record does not know is always looked at. Only clean files get stamps.
#
# The analyzer that follows paths takes 80 % of the time where nothing limits it. Here it looks at
# a tenth of its usual number of states per function. With OCB_TEST_LONG=1 it has its usual limit,
# and the files of tests/ have the checks that tests/.clang-tidy leaves to the long form.
set -eu
build=$(cd "$1" && pwd)
. "$(dirname "$0")/tracked.sh"
top=$(pwd)
work=$build/tidy
rm -rf "$work/now"
mkdir -p "$work/now" "$work/stamps"

# One command for each file, or for each set of macros that the file is compiled with if it has
# conditions; without a precompiled header: FILE, OBJECT, COMMAND.
sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$build/compile_commands.json" | sort -u |
    xargs grep -lE '^ *# *if' >"$work/now/conditional" || true
awk -v conditional="$work/now/conditional" -v top="$top/" -v build="$build/" -v list="$work/now/commands" '
    BEGIN { while ((getline name < conditional) > 0) has_conditions[name] = 1 }
    function field(line) { sub(/^ *"[a-z]*": "/, "", line); sub(/",?$/, "", line); return line }
    /^ *"directory":/ { directory = field($0) }
    /^ *"command":/ { command = field($0) }
    /^ *"file":/ {
        file = field($0)
        if (index(file, top) != 1 || index(file, build) == 1 || file ~ /\.S$/) next
        object = command; sub(/.* -o /, "", object); sub(/ -c .*/, "", object)
        gsub(/ -Winvalid-pch|( -Xclang)? -include(-pch)?( -Xclang)? [^ ]*cmake_pch\.h(xx)?(\.pch)?/, "",
             command)
        macros = ""; count = split(command, words, " ")
        if (file in has_conditions)
            for (i = 1; i <= count; ++i) if (words[i] ~ /^-D/) macros = macros words[i]
        if (seen[file macros]++) next
        print file "\t" object "\t" command > list
        printf "%s{ \"directory\": \"%s\", \"command\": \"%s\", \"file\": \"%s\" }",
            entries++ ? ",\n" : "[\n", directory, command, file
    }
    END { print "\n]" }' "$build/compile_commands.json" >"$work/now/compile_commands.json"
files=$(cut -f 1 "$work/now/commands" | sort -u)
require "$files"

# Which project and system files went into which object, and what is in them.
(cd "$build" && ninja -t deps) >"$work/now/deps"
awk '/^    / { print substr($0, 5) }' "$work/now/deps" | grep -v '\.[gp]ch$' | sort -u >"$work/now/headers"
# What has gone since has no hash.
(cd "$build" && xargs sha256sum <"$work/now/headers" 2>/dev/null) >"$work/now/hashes" || true
more_checks=
analyzer_states=20000
if [ -n "${OCB_TEST_LONG:-}" ]; then
    analyzer_states=225000
    more_checks=$(sed -n 's/^ *-\(bugprone-[a-z-]*\),*$/\1/p' tests/.clang-tidy | tr '\n' ',')
    require "$more_checks"
fi
{
    clang-tidy-14 --version
    echo "$more_checks $analyzer_states"
    find . -name .clang-tidy -not -path './build/*' | sort | xargs cat "$top/tests/checks/tidy.sh"
} | sha256sum >"$work/now/rules"

# A text per file and command with all that counts; its hash is the key.
mkdir "$work/now/texts"
awk -v out="$work/now/texts/" -v rules="$(cat "$work/now/rules")" '
    FILENAME ~ /hashes$/ { hash[substr($0, 67)] = substr($0, 1, 64); next }
    FILENAME ~ /deps$/ && /^[^ ]/ { object = $1; sub(/:$/, "", object); next }
    FILENAME ~ /deps$/ && /^    / {
        path = substr($0, 5)
        if (path in hash) parts[object] = parts[object] hash[path] "\n"
        else if (path !~ /\.[gp]ch$/) is_old[object] = 1
        next
    }
    FILENAME ~ /deps$/ { next }
    {
        split($0, fields, "\t")
        name = fields[1]; gsub("/", "!", name)
        text = out name
        if ((fields[2] in parts) && !(fields[2] in is_old)) print fields[3] "\n" rules "\n" parts[fields[2]] >> text
        else print "unknown" >> text
        close(text)
    }' "$work/now/hashes" "$work/now/deps" "$work/now/commands"

# What has no stamp is looked at, below everything else that runs on the machine.
cat >"$work/now/one.sh" <<'END'
file=$1
text=$(printf '%s' "$file" | tr / '!')
key=$(sha256sum <"texts/$text")
stamp=../stamps/${key%% *}
known=yes
grep -qx unknown "texts/$text" && known=no
if [ "$known" = yes ] && [ -f "$stamp" ]; then
    touch "$stamp"
    exit 0
fi
echo "$file" >>looked-at
checks=
case $file in "$TESTS"*) checks=$MORE_CHECKS ;; esac
clang-tidy-14 -p . --quiet --warnings-as-errors='*' --header-filter="$HEADERS" --checks="$checks" \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-unused-command-line-argument \
    --extra-arg=-Xclang --extra-arg=-analyzer-config \
    --extra-arg=-Xclang --extra-arg=max-nodes="$ANALYZER_STATES" \
    "$file" 2>"errors-$$" || { cat "errors-$$"; exit 1; }
[ "$known" = no ] || : >"$stamp"
END
HEADERS="^$top/(collector-bridge|ompt-backend|compat|tests)/"
TESTS="$top/tests/"
MORE_CHECKS=$more_checks
ANALYZER_STATES=$analyzer_states
export HEADERS TESTS MORE_CHECKS ANALYZER_STATES
cd "$work/now"
: >looked-at
status=0
printf '%s\n' "$files" | nice -n 19 xargs -P "$(nproc)" -n 1 sh one.sh || status=1
echo "$(printf '%s\n' "$files" | wc -l) files, $(wc -l <looked-at) of them looked at"
find "$work/stamps" -type f -mtime +30 -delete
exit $status
