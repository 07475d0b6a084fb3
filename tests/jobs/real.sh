#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# real.sh OMPCOLLECT INPUT RANKS HOSTS MPIRUN...: Debian's CP2K, Fortran with MPI and OpenMP, as a job
# with two threads a rank, for two steps of its calculation. INPUT is the molecule. With
# OCB_TEST_LATE=1, rank 1 of two has a processor that three busy loops have, too, and rank 0 has one
# of its own.
set -eu
ompcollect=$1
input=$2
ranks=$3
hosts=$4
shift 4
command -v cp2k > /dev/null || { echo "real.sh: CP2K is not installed" >&2; exit 77; }
work=$(mktemp -d)
loops=""
finish() {
    [ -z "$loops" ] || kill $loops
    rm -rf "$work"
}
trap finish EXIT
cd "$work"
sed 's/MAX_SCF .*/MAX_SCF 2/' "$input" > water.inp
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
echo 'exec "$@"' > each.sh
if [ -n "${OCB_TEST_LATE:-}" ]; then
    echo 'exec taskset -c "$OMPI_COMM_WORLD_RANK" "$@"' > each.sh
    for i in 1 2 3; do
        taskset -c 1 sh -c 'while :; do :; done' &
        loops="$loops $!"
    done
fi
if ! "$@" -n "$ranks" sh each.sh "$ompcollect" -o job.ompc cp2k water.inp > log 2>&1; then
    cat log >&2
    exit 1
fi
"$ompcollect" report job.ompc > report
"$ompcollect" report job.ompc --format json -o job.json
fail() {
    echo "real.sh: $1 in:" >&2
    cat report >&2
    exit 1
}
grep -q "  $ranks ranks on $hosts hosts* (.*), 2 threads each" report || fail "no head"
if grep warning: report | grep -qv 'machine was shared'; then
    fail "a warning"
fi
[ "$(wc -l < report)" -le 120 ] || fail "too many lines"
# Each by its call: the start, which is before all of OpenMP, and what its steps wait for.
for call in MPI_Init_thread MPI_Allreduce MPI_Bcast; do
    grep -q "\"$call\"" job.json || fail "no $call"
done
python3 - "$ranks" << 'END_OF_CHECK' || fail "figures that do not fit"
import json
import os
import sys

job = json.load(open("job.json"))
ranks = job["ranks"]
assert len(ranks) == int(sys.argv[1])
for rank in ranks:
    assert 0 < rank["mpi_elapsed"] < rank["seconds"] < 3600, rank
efficiency = job["efficiency"]
assert abs(efficiency["mpi"] * efficiency["openmp"] - efficiency["parallel"]) < 1e-9, efficiency
if os.environ.get("OCB_TEST_LATE"):
    late = next(each for each in job["findings"] if each["cause"] == "mpi-imbalance")
    assert (late["rank"], late["host"]) == (1, ranks[1]["host"]), late
    assert "comes last" in late["text"] and "wait in MPI_" in late["text"], late
END_OF_CHECK
echo "real.sh: CP2K is one job"
