#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# real_programs.sh LAUNCHER NAME [FASTA_SCRIPT]: runs one program that nobody here wrote, without ompcollect and
# with it, compares what it makes byte for byte, and looks into the profile. Prints the figures.
# Some are profiled on libgomp and on libomp, and the two profiles compared. Ends with 77 where the
# program is not installed (`sh tests/run.sh --long` installs all).
set -eu

launcher=$1
inputs=$(dirname "$(realpath "$0")")
name=$2
fasta_script=${3:-}
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMP_NUM_THREADS=2
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMP_NUM_THREADS

# Threads that wait busily take each other's processor where others run beside them.
OMP_WAIT_POLICY=passive
export OMP_WAIT_POLICY

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

fail() {
    echo "$name: $*" >&2
    for report in report*; do
        sed 's/^/    /' "$report" >&2
    done
    exit 1
}

need() {
    for program in "$@"; do
        if ! command -v "$program" >/dev/null; then
            echo "$name: $program is not installed"
            exit 77
        fi
    done
}

seconds() {
    date +%s.%N
}

# compare FILE... -- COMMAND...: runs the command in the folders "without" and "with", and compares
# these files of both. What it prints is in the file "out" there.
compare() {
    files=
    while [ "$1" != -- ]; do
        files="$files $1"
        shift
    done
    shift
    mkdir -p without with
    t0=$(seconds)
    (cd without && "$@" >out 2>err) || fail "does not run without ompcollect: $(tail -3 without/err)"
    t1=$(seconds)
    (cd with && "$launcher" --all -o "$work/report.%p" "$@" >out 2>err) ||
        fail "ends with $? under ompcollect: $(tail -3 with/err)"
    t2=$(seconds)
    for file in $files; do
        cmp "without/$file" "with/$file" || fail "$file differs"
    done
    echo "$name: same$files; $(echo "$t0 $t1 $t2" | awk '{ printf "%.2f s without, %.2f s with", $2 - $1, $3 - $2 }')"
}

# profiled PROCESSES WORD: so many processes have a profile, each with regions, and one of them
# names a place with this word.
profiled() {
    processes=$(grep -l '== OpenMP profile of' report.* 2>/dev/null | wc -l)
    [ "$processes" -eq "$1" ] || fail "$processes profiles, not $1"
    for report in report.*; do
        grep -q '^Parallel regions' "$report" || fail "$report has no regions"
        grep -q '  WORK  ' "$report" || fail "$report has no WORK"
    done
    grep -q "$2" report.* || fail "no place is called $2"
    widest=$(awk '{ if (length($0) > widest) widest = length($0) } END { print widest }' report.*)
    [ "$widest" -le 80 ] || fail "a line of $widest columns"
    grep -hE '^  (WORK|IBAR|SERIAL|all) ' report.* | sed 's/^/    /'
}

# The processor time of each of these words in a report, in percent of all of them: a line each. A word
# is a state, or several joined by "+", whose time is added.
shares() {
    awk -v words="$2" 'BEGIN { count = split(words, word, " ")
             for (i = 1; i <= count; ++i) { n = split(word[i], state, "+")
                 for (k = 1; k <= n; ++k) of[state[k]] = word[i] } }
         /^  state / { inside = 1; next } !inside { next } $1 == "all" || NF == 0 { exit }
         $1 in of { time[of[$1]] += $3; all += $3 }
         END { for (s in time) print s, 100 * time[s] / all }' "$1"
}

# agree STATES COMMAND...: its profile on libgomp and the one on libomp. No state's share of the
# processor time of these states may differ by more than 15 percent, in one of three pairs of runs.
# Time on the clock would depend on what else runs, and what waiting costs on the runtime.
agree() {
    states=$1
    shift
    most=15
    for try in 1 2 3; do
        for runtime in libgomp libomp; do
            mkdir -p "$runtime"
            (cd "$runtime" && "$launcher" --all --rate 1000 --runtime "$runtime" \
                -o "$work/on-$runtime" "$@" >out 2>err) ||
                fail "ends with $? on $runtime: $(tail -3 "$runtime/err")"
            shares "on-$runtime" "$states" >"shares-$runtime"
            [ "$(awk '/^  [0-9]+, late/ { print $1 + 0 }' "on-$runtime")" -ge 200 ] ||
                fail "too few samples on $runtime: $(cat "on-$runtime")"
        done
        awk 'NR == FNR { there[$1] = $2; next } { here[$1] = $2 }
             END { for (s in there) print s, there[s], here[s] + 0
                   for (s in here) if (!(s in there)) print s, 0, here[s] }' \
            shares-libgomp shares-libomp | sort >both
        worst=$(awk '{ d = $2 > $3 ? $2 - $3 : $3 - $2; if (d > worst) worst = d } END { print worst }' both)
        echo "$name: percent on libgomp and on libomp, $worst apart at most:" \
            "$(awk '{ printf "%s %s %s; ", $1, $2, $3 }' both)"
        if [ "$(wc -l <both)" -ge 2 ] && [ "${worst%.*}" -lt "$most" ]; then
            return
        fi
    done
    fail "the profiles on libgomp and libomp differ"
}

# views WORD COMMAND...: the run is saved, and its views made: at least 99 of 100 stacks are walked to
# their end, call paths go from the program through a function or file with this word into a region, there is a
# verdict, the JSON keeps its schema, and the page has its parts.
views() {
    word=$1
    shift
    mkdir -p views
    (cd views && "$launcher" --rate 1000 -o run.ompc "$@" >out 2>err) ||
        fail "ends with $? when its run is saved: $(tail -3 views/err)"
    "$launcher" report views/run.ompc >report-brief
    lines=$(wc -l <report-brief)
    [ "$lines" -le 40 ] || fail "a brief report of $lines lines"
    grep -q '^Hot paths' report-brief || fail "no hot paths"
    "$launcher" report views/run.ompc --all >report-views
    "$launcher" report views/run.ompc --format json -o views/run.json
    "$launcher" report views/run.ompc --format html -o views/run.html
    grep -q '^Verdict: parallel efficiency' report-views || fail "no verdict"
    grep -q '^Call paths' report-views || fail "no call paths"
    for part in flame timeline verdict; do
        grep -q "id=\"$part" views/run.html || fail "the page has no $part"
    done
    widest=$(cat report-brief report-views | awk '{ if (length($0) > widest) widest = length($0) } END { print widest }')
    [ "$widest" -le 80 ] || fail "a line of $widest columns"
    python3 - "$inputs/../../../docs/run.schema.json" views/run.json "$word" <<'END' || fail "its data is not good"
import json
import sys

import jsonschema

schema, run, word = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), sys.argv[3]
jsonschema.validate(run, schema)
process = run["processes"][0]
facts, nodes = process["facts"], process["nodes"]
assert facts["walks"] >= 20, f"{facts['walks']} stacks were walked"
assert facts["cut_walks"] <= facts["walks"] / 100, f"{facts['cut_walks']} of {facts['walks']} stacks are cut short"


def path(node):
    names = []
    while node >= 0:
        names.insert(0, (nodes[node]["module"], nodes[node]["function"] or "?"))
        node = nodes[node]["parent"]
    return names


paths = [path(node) for node in range(len(nodes)) if nodes[node]["kind"] == "region"]
assert paths, "no region"
# main() itself may have no name in a package's file.
whole = [names for names in paths if names[0][0] == facts["program"] and "cut short" not in names[0][1]]
assert len(whole) >= 0.99 * len(paths), f"{len(whole)} of {len(paths)} paths of regions begin in {facts['program']}"
assert any(word in module + name for names in whole for module, name in names), f"no path has {word}"
print(f"    {len(paths)} paths of regions, the longest of {max(map(len, paths))}; "
      f"{facts['walks']} stacks walked, {facts['cut_walks']} cut short; "
      f"{facts['fork_stacks']} forks, {facts['fork_walks']} walked")
END
}

case $name in
clustalo)
    need clustalo
    sh "$fasta_script" | awk '/^>/ { ++n } n <= 20' >in.fasta
    compare out.fasta -- clustalo --threads=2 -i "$work/in.fasta" -o out.fasta --force
    profiled 1 clustalo
    views clustalo clustalo --threads=2 -i "$work/in.fasta" -o out.fasta --force
    # The waits together: in which of them a thread wakes up is the runtime's affair.
    agree "SERIAL WORK OVHD+IBAR+IDLE" clustalo --threads=2 -i "$work/in.fasta" -o out.fasta --force
    for state in OVHD IBAR IDLE; do
        for runtime in libgomp libomp; do
            grep -q "^  $state " "on-$runtime" || fail "no $state on $runtime"
        done
    done
    ;;
gromacs)
    need gmx gmx_mpi mpirun
    printf '#include "oplsaa.ff/forcefield.itp"\n#include "oplsaa.ff/spce.itp"\n[ system ]\nwater\n[ molecules ]\n' >topol.top
    cat >md.mdp <<'END'
integrator = md
nsteps = 100
nstxout = 50
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
constraints = h-bonds
gen-vel = yes
gen-seed = 1
tcoupl = v-rescale
tc-grps = System
tau-t = 0.1
ref-t = 300
ld-seed = 1
END
    gmx -quiet solvate -cs spc216.gro -box 3 3 3 -o conf.gro -p topol.top >log 2>&1
    gmx -quiet grompp -f md.mdp -c conf.gro -p topol.top -o run.tpr -maxwarn 5 >>log 2>&1
    compare run.gro run.trr -- mpirun --oversubscribe -n 2 \
        gmx_mpi -quiet mdrun -ntomp 2 -reprod -s "$work/run.tpr" -deffnm run
    profiled 2 gmx_pme_do
    ;;
iqtree)
    need iqtree2
    awk 'BEGIN { srand(1); print 16, 40000
        for (t = 1; t <= 16; ++t) { printf "taxon%-6d", t
            for (i = 0; i < 40000; ++i) {
                if (t == 1 || rand() < 0.3) site[i] = substr("ACGT", 1 + int(4 * rand()), 1)
                printf "%s", site[i] }
            print "" } }' >aln.phy
    compare run.treefile -- iqtree2 -s "$work/aln.phy" -m GTR+G -t BIONJ -n 1 -nt 2 -seed 1 -pre run
    profiled 1 iqtree
    views PhyloTree:: iqtree2 -redo -s "$work/aln.phy" -m GTR+G -t BIONJ -n 1 -nt 2 -seed 1 -pre run
    agree "SERIAL WORK" iqtree2 -redo -s "$work/aln.phy" -m GTR+G -t BIONJ -n 1 -nt 2 -seed 1 -pre run
    ;;
cp2k)
    need cp2k
    cp "$inputs/water.inp" h2.inp
    compare h2-forces-1_0.xyz -- cp2k "$work/h2.inp"
    profiled 1 cp2k
    views cp2k cp2k "$work/h2.inp"
    agree "SERIAL WORK" cp2k "$work/h2.inp"
    ;;
go)
    need go
    gcc -O1 -g -fPIC -shared -fopenmp "$inputs/languages/sums.c" -o libsums.so
    cp "$inputs/languages/sums.go" .
    GOCACHE="$work/cache" GO111MODULE=off CGO_LDFLAGS="-L$work" go build -o sums sums.go
    LD_LIBRARY_PATH=$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    compare out -- "$work/sums"
    profiled 1 sum_of_squares
    ;;
jvm)
    need java javac
    gcc -O1 -g -fPIC -shared -fopenmp "$inputs/languages/sums.c" -o libsums.so
    javac -d . "$inputs/languages/Sums.java"
    compare out -- java -Djava.library.path="$work" -cp "$work" Sums
    profiled 1 sum_of_squares
    ;;
numba)
    NUMBA_THREADING_LAYER=omp
    NUMBA_NUM_THREADS=2
    export NUMBA_THREADING_LAYER NUMBA_NUM_THREADS
    /usr/bin/python3 -c 'import numba' 2>log || { echo "$name is not installed"; exit 77; }
    compare out -- /usr/bin/python3 "$inputs/languages/sums.py"
    profiled 1 omppool
    ;;
*)
    echo "no such program: $name" >&2
    exit 1
    ;;
esac
