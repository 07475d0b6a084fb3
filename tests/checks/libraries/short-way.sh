#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# short-way.sh LIBRARY - the functions that most events go through have no locked instruction: they
# order nothing, as STOP orders all threads at once. To see it fail: let call_callback in
# collector-bridge/events/delivery.h store `delivering` with memory_order_seq_cst.
set -eu
library=$1
command -v objdump >/dev/null || exit 77
case $(objdump -f "$library") in
*x86-64*) ;;
*) exit 77 ;;
esac
code=$(objdump -d --no-show-raw-insn -C "$library")
for function in barrier_begins barrier_ends explicit_barrier_begins explicit_barrier_ends \
    wait_in_implicit_barrier implicit_barrier_of_call_begins single_begins single_ends master_begins \
    master_ends ordered_begins ordered_ends task_left task_entered fork_when_ready join; do
    printf '%s\n' "$code" | awk -v function_name="$function" '
        /^[0-9a-f]+ <.*>:$/ {
            is_it = index($0, "ocb::tracker::") && index($0, "::" function_name "(")
            found = found || is_it
        }
        is_it && /[ \t](lock |xchg .*\()/ {
            print function_name " has a locked instruction: " $0
            bad = 1
        }
        END {
            if (!found) print "no function " function_name
            exit bad || !found
        }'
done
