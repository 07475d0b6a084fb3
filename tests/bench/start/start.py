# SPDX-License-Identifier: Apache-2.0
"""What start and end of a run take: `python3 -B tests/bench/start/start.py BUILD` prints the table
and writes tests/bench/results/start.md; --print only prints.

  the program  of one region by two threads, alone
  attached     with an OMPT tool that registers nothing
  preloaded    with all that ompcollect preloads; nothing is written
  launched     the program alone under the least launcher (least_launcher.c)
  least        with all that ompcollect preloads, under the least launcher, which reads the profile
               and removes it
  -o           under ompcollect, which saves the run
  ompcollect   under ompcollect, which prints the report

By the clock: the median of interleaved rows of runs, and in brackets the shortest tenth of them. Page faults
are those of all processes of a run.
"""
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time
import types

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import document
import whole

ROUNDS = 40
IN_A_ROW = 4  # the first one, which finds the caches of another way, does not count
BUILT_BY = {"clang, libomp 14": ("clang", "14"), "clang, libomp 19": ("clang", "19"), "gcc, libgomp": ("gcc", None)}


def ways(build, program, version, folder):
    """Of each: the command, and its environment."""
    launcher = str(build / "bin/ompcollect")
    least = [str(build / "tests/bench/least_launcher"), *program]
    found = whole.environments(types.SimpleNamespace(build=build), program, version, 2, "97")
    alone, preloaded = found["alone"], found["default"]
    kept = {name: value for name, value in preloaded.items() if name != "LD_PRELOAD"}
    return {"the program": (program, alone), "attached": (program, found["attached"]), "preloaded": (program, preloaded),
            "launched": (least, alone), "least": (least, {**kept, "LEAST_PRELOAD": preloaded["LD_PRELOAD"]}),
            "-o": ([launcher, "-o", f"{folder}/run.ompc", *program], alone), "ompcollect": ([launcher, *program], alone)}


def run(words, variables):
    """Milliseconds by the clock, and page faults."""
    begin = time.monotonic()
    process = subprocess.Popen(words, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    passed = 1000 * (time.monotonic() - begin)
    if status != 0:
        raise SystemExit(f"{' '.join(words)} ends with {status}")
    return passed, used.ru_minflt


def cells(measured):
    """Of the runs of each way: its times, and its page faults."""
    times = ["{:.1f} ({:.1f})".format(statistics.median(passed), statistics.quantiles(passed, n=10)[0])
             for passed in ([one[0] for one in runs] for runs in measured.values())]
    return times, [f"{statistics.median(one[1] for one in runs):.0f}" for runs in measured.values()]


def tables(build, rounds):
    rows, head = [], []
    with tempfile.TemporaryDirectory() as folder:
        for name, (compiler, version) in BUILT_BY.items():
            program = [str(build / "tests/bench/programs" / compiler / "whole"), "regions", "1"]
            found = ways(build, program, version, folder)
            measured = {way: [] for way in found}
            for _ in range(rounds):
                for way in random.sample(list(found), len(found)):
                    measured[way] += [run(*found[way]) for _ in range(IN_A_ROW)][1:]
            times, faults = cells(measured)
            rows += [[name, "ms", *times], ["", "page faults", *faults]]
            head = ["built by", "", *found]
    return document.table(head, rows)


def main():
    table = tables(pathlib.Path(sys.argv[1]).resolve(), ROUNDS)
    print(table)
    if "--print" not in sys.argv:
        document.write_results("start", table)


if __name__ == "__main__":
    main()
