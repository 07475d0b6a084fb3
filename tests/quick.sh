# SPDX-License-Identifier: Apache-2.0
#
# For tests/run.sh --quick: what belongs to a change, by tests/quick.txt.

# They take seconds, and need no build.
quick_checks='format|spdx|machine-paths|documents|people|memory-orders|structure|subjects|quick'

# changed_since BASE: the files that differ from where this branch left BASE, new ones included.
changed_since() {
    base=$(git merge-base "$1" HEAD)
    git diff --name-only "$base"
    git ls-files --others --exclude-standard
}

# rows_of_changes: of the files on stdin the rows "ROOM LABEL", each once.
rows_of_changes() {
    awk '/\.md$/ {
             next
         }
         NR == FNR {
             if ($0 !~ /^#/) {
                 folders[$1] = 1
                 rows[$1] = rows[$1] $2 " " $3 "\n"
             }
             next
         }
         {
             at = $0
             do {
                 at = at ~ /\// ? substr(at, 1, match(at, /\/[^\/]*$/) - 1) : "."
             } while (!(at in folders))
             printf "%s", rows[at]
         }' tests/quick.txt - | sort -u | grep -v '^- -$' || true
}
