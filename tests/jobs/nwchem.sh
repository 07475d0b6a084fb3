#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# nwchem.sh OMPCOLLECT NWCHEM CALL LAUNCHER...: Debian's NWChem as a job of eight ranks with two threads
# each. By its input, rank 3 multiplies matrices for 16 s by the clock, and the others for 8 s: so even
# ranks would take 7 s less. OpenBLAS does that in parallel regions. CALL is where NWChem waits.
set -eu
ompcollect=$1
nwchem=$2
planted_call=$3
shift 3
command -v "$nwchem" > /dev/null || { echo "nwchem.sh: $nwchem is not installed" >&2; exit 77; }
. "$(dirname "$0")/planted.sh"
planted_function=exec_blas
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > late.nw << 'INPUT'
start late
memory 64 mb
python
import time
import numpy
rank = ga_nodeid()
matrix = numpy.ones((300, 300))
begin = time.monotonic()
while time.monotonic() < begin + (16 if rank == 3 else 8):
    matrix @ matrix
with open("computed.%d" % rank, "w") as file:
    file.write("%.6f\n" % (time.monotonic() - begin))
end
task python
INPUT
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
# Its one-sided communication ends with an error on several hosts with Open MPI's default.
export OMPI_MCA_osc=pt2pt

run_planted() {
    rm -rf planted.ompc computed.*
    if ! "$@" "$ompcollect" -o planted.ompc "$nwchem" late.nw > log 2>&1; then
        cat log >&2
        exit 1
    fi
    sort -n computed.* | awk '{ sum += $1; most = $1 } END { print most - sum / NR }' > printed
}

expect_planted "$@"
