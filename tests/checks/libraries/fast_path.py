# SPDX-License-Identifier: Apache-2.0
"""fast_path.py LIBRARY - the functions that most events go through have no locked instruction: they
order nothing, as STOP orders all threads at once. Nor has what they call or jump to, as far as it
is not on the slow path. To see it fail: let call_callback in collector-bridge/events/delivery.h
store `delivering` with memory_order_seq_cst, or take a row out of SLOW."""
import re
import shutil
import subprocess
import sys

FAST = """barrier_begins barrier_ends explicit_barrier_begins explicit_barrier_ends
    wait_in_implicit_barrier implicit_barrier_of_call_begins single_begins single_ends master_begins
    master_ends ordered_begins ordered_ends task_left task_entered fork_when_ready join""".split()

# Where the fast path ends, and when an event gets there.
SLOW = {
    r"_on_slow_path\(": "the thread has no record, or is in none of its implicit tasks",
    r"::begin_event_apart\(": "nobody wants its BEGIN, or too many pairs are open",
    r"::end_other_barrier\(": "neither an explicit barrier nor one of a call",
    r"::wait_in_last_barrier\(": "once for a region: the worker may be idle from there on",
    r"::(enter|leave)_task\(": "an explicit task, which others may look at",
    r"::prepare_report\(": "the bridge is not ready, or a wait is still open",
    r"::record_presence\(": "the first time that a call site is seen",
    r"::take_region_ids\(": "a block of ids is used up",
    r"::trust_if_inside\(": "the front has not marked the call: then all is reported, without a front",
    r"::new_region_record\(": "a region takes a record that was another one's",
}
LOCKED = re.compile(r"[ \t](lock |xchg .*\()")
GOES_TO = re.compile(r"\t(?:call|j[a-z]+) +[0-9a-f]+ <(.+?)(?:\+0x[0-9a-f]+)?>\s*$")


def functions_of(library):
    """The instructions of each function by its name."""
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-C", library], check=True,
                          capture_output=True, text=True).stdout
    functions = {}
    name = ""
    for line in code.splitlines():
        if head := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            name = head[1]
        functions.setdefault(name, []).append(line)
    return functions


def is_slow(name):
    return any(re.search(pattern, name) for pattern in SLOW)


def main(library):
    if not shutil.which("objdump"):
        return 77
    if b"x86-64" not in subprocess.run(["objdump", "-f", library], capture_output=True).stdout:
        return 77
    functions = functions_of(library)
    complaints = []
    way = []
    for function in FAST:
        found = [name for name in functions if "ocb::tracker::" in name and f"::{function}(" in name]
        way += found
        if not found:
            complaints.append(f"no function {function}")
    seen = set(way)
    for name in way:
        for line in functions[name]:
            if LOCKED.search(line):
                complaints.append(f"{name} has a locked instruction: {line.strip()}")
            to = GOES_TO.search(line)
            if to and to[1] in functions and to[1] not in seen and not is_slow(to[1]):
                seen.add(to[1])
                way.append(to[1])
    print("\n".join(complaints) or f"{len(way)} functions have none")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
