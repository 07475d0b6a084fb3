#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# real.sh OMPCOLLECT INPUT RANKS HOSTS MPIRUN...: Debian's CP2K, Fortran with MPI and OpenMP, as a job
# with two threads a rank, for two steps of its calculation. INPUT is the molecule.
set -eu
ompcollect=$1
input=$2
ranks=$3
hosts=$4
shift 4
command -v cp2k > /dev/null || { echo "real.sh: CP2K is not installed" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sed 's/MAX_SCF .*/MAX_SCF 2/' "$input" > water.inp
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
"$@" -n "$ranks" "$ompcollect" -o job.ompc cp2k water.inp > log 2>&1 || { cat log >&2; exit 1; }
"$ompcollect" report job.ompc > report
"$ompcollect" report job.ompc --format json -o job.json
fail() {
    echo "real.sh: $1 in:" >&2
    cat report >&2
    exit 1
}
grep -q "  $ranks ranks on $hosts hosts* (.*), 2 threads each" report || fail "no head"
if grep -q warning: report; then
    fail "a warning"
fi
[ "$(wc -l < report)" -le 120 ] || fail "too many lines"
# Each by its call: the start, which is before all of OpenMP, and what its steps wait for.
for call in MPI_Init_thread MPI_Allreduce MPI_Bcast; do
    grep -q "\"$call\"" job.json || fail "no $call"
done
python3 - "$ranks" << 'END_OF_CHECK' || fail "figures that do not fit"
import json
import sys

job = json.load(open("job.json"))
ranks = job["ranks"]
assert len(ranks) == int(sys.argv[1])
for rank in ranks:
    assert 0 < rank["mpi_outside_regions"] < rank["seconds"] < 3600, rank
efficiency = job["efficiency"]
assert abs(efficiency["mpi"] * efficiency["openmp"] - efficiency["parallel"]) < 1e-9, efficiency
END_OF_CHECK
echo "real.sh: CP2K is one job"
