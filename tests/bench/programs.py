# SPDX-License-Identifier: Apache-2.0
"""Measures what ompcollect costs whole programs, which the user has built or installed elsewhere:

  python3 tests/bench/programs.py [--runs N] [--write] LAUNCHER "NAME=COMMAND"...

Each command runs without ompcollect and with it, in turn, and each pair is compared with its own
neighbours. "NAME=COMMAND" may begin with variables: "lulesh=OMP_NUM_THREADS=2 ./lulesh -s 12".
What is compared is processor time, user and system, of everything the command starts, ompcollect
included. --write puts the table into tests/bench/results/programs.md.
"""
import argparse
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import document


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("launcher")
    parser.add_argument("programs", nargs="+")
    return parser.parse_args()


def split(text):
    name, _, command = text.partition("=")
    words = shlex.split(command)
    variables = {}
    while "=" in words[0]:
        key, _, value = words.pop(0).partition("=")
        variables[key] = value
    return name, variables, words


def run(words, variables):
    """Seconds of processor time and by the clock."""
    begin = time.monotonic()
    process = subprocess.Popen(words, env=dict(os.environ, **variables), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{shlex.join(words)} ends with {status}")
    return used.ru_utime + used.ru_stime, time.monotonic() - begin


def spread(values):
    """Median, and the quarters around it."""
    low, middle, high = statistics.quantiles(values, n=4)
    return middle, low, high


def measure(name, variables, words, launcher, runs):
    without, by_clock, added, more = [], [], [], []
    run(words, variables)  # what is read for the first time
    for number in range(runs):
        pair = {}
        for way in ("plain", "with") if number % 2 else ("with", "plain"):
            pair[way] = run(([launcher, "-o", "/dev/null"] if way == "with" else []) + words, variables)
        without.append(pair["plain"][0])
        by_clock.append(pair["plain"][1])
        added.append(pair["with"][0] - pair["plain"][0])
        more.append(100 * (pair["with"][0] / pair["plain"][0] - 1))
    percent = spread(more)
    row = [name, f"{statistics.median(without):.2f} s", f"{statistics.median(by_clock):.2f} s",
           f"{1000 * statistics.median(added):+.0f} ms", f"{percent[0]:+.1f} %",
           f"{percent[1]:+.1f} to {percent[2]:+.1f} %", str(runs)]
    print(" | ".join(row), flush=True)
    return row


def main():
    arguments = parse()
    rows = [measure(*split(program), arguments.launcher, arguments.runs) for program in arguments.programs]
    if arguments.write:
        os.chdir(pathlib.Path(__file__).resolve().parents[2])
        head = ["program", "processor time without", "elapsed", "added", "added", "half of the pairs", "pairs"]
        document.write_results("programs", document.table(head, rows))


if __name__ == "__main__":
    main()
