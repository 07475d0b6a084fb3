#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# smoke.sh PROGRAMS LIBRARIES LIBOMP - the benchmarks' programs run at all, in every configuration.
# Nothing is compared: what they measure is for run.sh.
set -eu
programs=$1
libraries=$2
# By name, not by path: a path with a space cannot stand in LD_PRELOAD.
export LD_LIBRARY_PATH="$3:$libraries" KMP_BLOCKTIME=0
bridge=libomp-collector-bridge.so
tool=libocb-bench-tool.so
collector=libocb-bench-collector.so

"$programs/constructs" 2 20
LD_PRELOAD=$tool OCB_BENCH_TOOL=count "$programs/constructs" 2 20
LD_PRELOAD="$bridge $collector" OCB_BENCH_EVENTS=all "$programs/constructs" 2 20
LD_PRELOAD="$bridge $collector" OCB_BENCH_EVENTS=least "$programs/constructs" 2 20
LD_PRELOAD="$bridge $collector" OCB_BENCH_EVENTS=all "$programs/memory" 100 20
LD_PRELOAD="$bridge libompcollect-default.so" OMPCOLLECT_RATE=1000 "$programs/call_paths" 12 100 20
LD_PRELOAD=$bridge "$programs/request_states" 2
LD_PRELOAD=$bridge "$programs/request_states" 2 early
LD_PRELOAD=$bridge "$programs/request_states" 2 inside
LD_PRELOAD=$bridge "$programs/request_states_of_tasks" 2
if [ -x "$programs/requests" ]; then
    LD_PRELOAD=$bridge "$programs/requests" --count 10
fi
