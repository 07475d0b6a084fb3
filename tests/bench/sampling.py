# SPDX-License-Identifier: Apache-2.0
"""What samples by the clock cost, and how many come: `python3 tests/bench/sampling.py BUILD` prints
the tables and writes tests/bench/results/sampling.md; --print only prints. perf record stands beside
it where it is installed."""
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import document

RATES = (97, 1000, 10000)
THREADS = (1, 4, 16, 64)
ROUNDS = 7
USED = r"used ([\d.]+)"
ELAPSED = r"elapsed ([\d.]+)"
WORK = {97: 2, 1000: 0.5, 10000: 0.5}  # seconds of processor time


class Bench:
    def __init__(self, build):
        self.launcher = str(build / "bin/ompcollect")
        self.program = str(build / "tests/bench/programs/clang/sampling")
        self.folder = tempfile.mkdtemp(prefix="sampling-")

    def run(self, before, mode, amount, threads):
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive", "COLUMNS": "200"}
        done = subprocess.run([*before, self.program, mode, str(amount)], env=environment, text=True,
                              capture_output=True, check=True)
        return done.stdout + done.stderr

    def collected(self, *options):
        return [self.launcher, *options]


def number(text, pattern):
    return float(re.search(pattern, text).group(1))


def rates(bench):
    rows = []
    for rate in RATES:
        for threads in THREADS:
            text = bench.run(bench.collected("--show", "events", "--rate", str(rate), "--clock", "cpu"), "work", WORK[rate], threads)
            used = number(text, USED)
            samples, late, lost = map(int, re.search(r"(\d+), late (\d+), lost (\d+);", text).groups())
            rows.append([str(rate), str(threads), f"{used:.2f} s", str(samples), str(late), str(lost),
                         f"{100 * samples / (rate * used):.1f} %", of_perf(bench, rate, threads)])
    return document.table(["samples a second", "threads", "processor time", "delivered", "late", "lost", "of all periods",
                           "perf record"], rows)


def perf_record(bench, rate, mode, amount, threads):
    """What the program prints, and how many samples came."""
    file = os.path.join(bench.folder, "perf.data")
    text = bench.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", str(rate), "-o", file], mode, amount, threads)
    stats = subprocess.run(["perf", "report", "--stats", "-i", file], text=True, capture_output=True, check=True).stdout
    return text, number(stats, r"SAMPLE events: +(\d+)")


def of_perf(bench, rate, threads):
    if not shutil.which("perf"):
        return "–"
    text, samples = perf_record(bench, rate, "work", WORK[rate], threads)
    return f"{100 * samples / (rate * number(text, USED)):.1f} %"


def price(bench):
    """µs of elapsed time of one thread that a sample takes, from interleaved runs: each against one with a sample a
    second, and perf record's against none. Beside them what a signal takes whose handler does nothing."""
    work = ("meet", 100000, 1)
    rows = []
    for rate in RATES[1:]:
        ours, signals, of_perf_record = [], [], []
        for _ in range(ROUNDS):
            alone = number(bench.run([], *work), ELAPSED)
            few = number(bench.run(bench.collected("--rate", "1", "--clock", "cpu"), *work), ELAPSED)
            text = bench.run(bench.collected("--show", "events", "--rate", str(rate), "--clock", "cpu"), *work)
            ours.append(1e6 * (number(text, ELAPSED) - few) / number(text, r"(\d+), late"))
            signals += map(float, re.findall(r"signal ([\d.-]+)", bench.run([], "signal", rate, 1)))
            if shutil.which("perf"):
                text, samples = perf_record(bench, rate, *work)
                of_perf_record.append(1e6 * (number(text, ELAPSED) - alone) / samples)
        rows.append([str(rate), *(f"{statistics.median(found):.1f} µs ({sorted(found)[1]:.1f} to {sorted(found)[-2]:.1f})"
                                  if found else "–" for found in (ours, signals, of_perf_record))])
    return document.table(["samples a second", "a sample takes", "an empty handler", "perf record, no signal"], rows)


def sleepers(bench):
    rows = []
    for threads in (8, 32, 128):
        shares = sorted(number(bench.run(bench.collected(), "sleep", 2, threads), r"share ([\d.]+)") for _ in range(5))
        rows.append([str(threads), f"{shares[2]:.2f} %", f"{shares[0]:.2f} to {shares[-1]:.2f}"])
    return document.table(["threads asleep", "of a processor", "of the runs"], rows)


def meetings(bench):
    rows = []
    for threads, count in ((8, 8000), (32, 2000), (128, 500)):
        ratios = []
        for _ in range(ROUNDS):
            without = number(bench.run([], "meet", count, threads), ELAPSED)
            ratios.append(number(bench.run(bench.collected(), "meet", count, threads), ELAPSED) / without)
        ratios.sort()
        middle = 100 * (statistics.median(ratios) - 1)
        rows.append([str(threads), f"{middle:+.1f} %", f"{100 * (ratios[1] - 1):+.1f} to {100 * (ratios[-2] - 1):+.1f}"])
    return document.table(["threads that meet", "elapsed", "of the rounds"], rows)


def main():
    bench = Bench(pathlib.Path(sys.argv[1]).resolve())
    tables = "\n\n".join([
        "Samples that come, of threads at work:\n\n" + rates(bench),
        "What a sample takes, the kernel's part in it, with one thread at work:\n\n" + price(bench),
        "What the sampling thread takes at 97 samples a second:\n\n" + sleepers(bench),
        "What threads that wait passively lose at 97 samples a second, on the processors of this machine:\n\n" + meetings(bench)])
    print(tables)
    if "--print" not in sys.argv:
        document.write_results("sampling", tables)
    shutil.rmtree(bench.folder)


if __name__ == "__main__":
    main()
