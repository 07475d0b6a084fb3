# SPDX-License-Identifier: Apache-2.0
#
# For scripts that run a job in which rank 3 computes twice as long as the others: that has to be the
# first finding of its report. They set $ompcollect, and $planted_function and $planted_call, which
# that finding has to name. Their function run_planted runs the job into "planted.ompc", and writes
# the gain that is true into "printed".

# 0: it is, and the gain is within a tenth; 1: it is not; 2: nor is it, and others had more than a
# fifth of the processors that the 16 threads might have had, so that they decided who waited for
# whom: it does not count.
planted_is_found() {
    "$ompcollect" report planted.ompc > report
    head="  8 ranks on 4 hosts (n0, n1, n2, n3), 2 threads each"
    if ! grep -q -- "$head" report || grep warning: report | grep -qv 'machine was shared'; then
        cat report >&2
        exit 1
    fi
    "$ompcollect" report planted.ompc --format json > json
    python3 - printed json report "$planted_function" "$planted_call" << 'CHECK'
import json
import os
import sys

printed = float(open(sys.argv[1]).read().split()[0])
job = json.load(open(sys.argv[2]))
first = job["findings"][0]
print(f"planted: {printed:.2f} s; {first['cause']}: {first['gain']:.2f} s")
is_it = "slowest: rank 3 on n1" in open(sys.argv[3]).read()
is_it = is_it and first["cause"] == "mpi-imbalance" and (first["rank"], first["host"]) == (3, "n1")
for words in ("rank 3 on n1 comes last", sys.argv[4], "others wait in " + sys.argv[5]):
    is_it = is_it and words in first["text"]
if is_it and abs(first["gain"] / printed - 1) <= 0.1:
    sys.exit(0)
sys.exit(1 if job["efficiency"]["on_processor"] >= min(1, os.cpu_count() / 16) * 0.8 else 2)
CHECK
}

# Two of three runs that count decide. The arguments are run_planted's.
expect_planted() {
    right=0
    wrong=0
    busy=0
    while [ $right -lt 2 ]; do
        run_planted "$@"
        code=0
        planted_is_found || code=$?
        case $code in
        0) right=$((right + 1)) ;;
        1) wrong=$((wrong + 1)) ;;
        *) busy=$((busy + 1)) ;;
        esac
        if [ $wrong = 2 ] || [ $busy = 5 ]; then
            cat printed report >&2
            exit 1
        fi
    done
}
