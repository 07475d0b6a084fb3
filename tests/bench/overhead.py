# SPDX-License-Identifier: Apache-2.0
"""What tools cost whole programs of Debian, and how many of their FORKs were known.

  known_stacks(bench)  programs under ompcollect: regions, of which how many were walked
  by_parts(bench, us)  what ompcollect takes from them: its code by perf record, the signals by
                       their number
  tools(bench)         ompcollect, perf record and gprofng collect app, each beside no tool

Called by measure.py. Programs and tools that are not installed are left out, and it says so.
"""
import collections
import json
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import tempfile

import programs as compare

LAUNCHER = "bin/ompcollect"
FASTA_SCRIPT = "compat/ompcollect/demo/make_fasta.sh"
CP2K_INPUT = "tests/compat/real-programs/water.inp"


def fasta(folder, sequences):
    text = subprocess.run(["sh", FASTA_SCRIPT], capture_output=True, text=True, check=True).stdout
    path = folder / "in.fasta"
    path.write_text(">" + ">".join(text.split(">")[1:sequences + 1]))
    return path


def alignment(folder):
    """For iqtree2: 16 taxa that resemble each other."""
    path = folder / "aln.phy"
    script = """BEGIN { srand(1); print 16, 40000
        for (t = 1; t <= 16; ++t) { printf "taxon%-6d", t
            for (i = 0; i < 40000; ++i) {
                if (t == 1 || rand() < 0.3) site[i] = substr("ACGT", 1 + int(4 * rand()), 1)
                printf "%s", site[i] }
            print "" } }"""
    path.write_text(subprocess.run(["awk", script], capture_output=True, text=True, check=True).stdout)
    return path


def water(folder, steps):
    """For cp2k: a molecule of water that moves for so many steps."""
    text = pathlib.Path(CP2K_INPUT).read_text().replace("RUN_TYPE ENERGY_FORCE", "RUN_TYPE MD")
    path = folder / "water.inp"
    path.write_text(f"{text}\n&MOTION\n  &MD\n    ENSEMBLE NVE\n    STEPS {steps}\n    TIMESTEP 0.5\n"
                    "    TEMPERATURE 300\n  &END MD\n&END MOTION\n")
    return path


def programs(folder, quick):
    """Name and command of what is installed: runs of some seconds, so that start and end are small."""
    found = {}
    if shutil.which("clustalo"):
        found["clustalo"] = ["clustalo", "--threads=2", "--force", "-i", fasta(folder, 30 if quick else 80), "-o", "out.fasta"]
    if shutil.which("iqtree2"):
        found["IQ-TREE"] = ["iqtree2", "-redo", "-s", alignment(folder), "-m", "GTR+G", "-t", "BIONJ", "-n", "1" if quick else "12",
                            "-nt", "2", "-seed", "1", "-pre", "run"]
    if shutil.which("cp2k"):
        found["CP2K"] = ["cp2k", water(folder, 1 if quick else 20)]
    for name in ("clustalo", "IQ-TREE", "CP2K"):
        if name not in found:
            print(f"{name} is not installed: left out", flush=True)
    return {name: [str(word) for word in words] for name, words in found.items()}


def begin_run(words, folder):
    return compare.begin_run(words, folder, {"OMP_NUM_THREADS": "2"})


def run(words, folder):
    return compare.run(words, folder, {"OMP_NUM_THREADS": "2"})


def saved_process(launcher, folder):
    run([launcher, "report", "run.ompc", "--format", "json", "-o", "run.json"], folder)
    return json.loads((folder / "run.json").read_text())["processes"][0]


def known_stacks(bench):
    launcher = str(bench.build / LAUNCHER)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program, words in programs(folder, bench.quick).items():
            for runtime in ("libgomp", str(pathlib.Path("build/libomp/14/lib/libomp.so.5").resolve())):
                run([launcher, "--runtime", runtime, "-o", "run.ompc", *words], folder)
                facts = saved_process(launcher, folder)["facts"]
                forks, walked = facts["fork_stacks"], facts["fork_walks"]
                rows.append([program, "libomp 14" if "libomp" in runtime else runtime, f"{forks}", f"{walked}",
                             f"{100 * (1 - walked / forks):.2f} %", f"{facts['walks']}", f"{facts['cut_walks']}"])
    bench.say("Programs:")
    bench.say()
    bench.table(["program", "runtime", "FORKs", "walked", "known", "samples walked", "of these cut short"], rows)


OWN_LIBRARIES = ("libompcollect-default.so", "libompcollect-preload.so", "libomp-collector-bridge.so", "libomp-collector-front.so",
                 "libgomp-ompt.so")
PERF_SAMPLE = re.compile(r"\s*(.+?)\s+(\d+)/(\d+)\s+[0-9a-f]+ \((.*)\)")


def part_of(command, pid, tid, file):
    """Which part of ompcollect's cost a sample of perf is; "": the program's own."""
    if command == "ompcollect":
        return "start and end" if pid == tid else "sampling thread"
    return "events" if any(library in file for library in OWN_LIBRARIES) else ""


def shares(launcher, words, folder):
    """Percent of the processor time of a run that each part takes, by perf record."""
    process = begin_run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "3989", "-o", "perf.data",
                         launcher, "-o", "run.ompc", *words], folder)
    if process.wait() != 0:
        raise SystemExit(f"{shlex.join(words)} fails under perf record")
    script = subprocess.run(["perf", "script", "-i", "perf.data", "-F", "comm,pid,tid,ip,dso"], cwd=folder,
                            capture_output=True, text=True, check=True).stdout
    samples = [part_of(*match.groups()) for match in map(PERF_SAMPLE.fullmatch, script.splitlines()) if match]
    return {part: 100 * count / len(samples) for part, count in collections.Counter(samples).items()}


def by_parts(bench, sample_us):
    if not shutil.which("perf"):
        print("perf is not installed: its parts are left out", flush=True)
        return
    by_signals = 100 * compare.RATE * sample_us / 1e6
    parts = ("events", "sampling thread", "start and end")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program, words in programs(folder, bench.quick).items():
            runs = [shares(bench.build / LAUNCHER, words, folder) for _ in range(1 if bench.quick else 9)]
            run_of_it = saved_process(str(bench.build / LAUNCHER), folder)
            cpu = sum(run_of_it["cells"]["cpu"])
            forks = run_of_it["facts"]["fork_stacks"] / run_of_it["facts"]["seconds"]
            taken = {part: statistics.median(each.get(part, 0) for each in runs) for part in parts}
            whole = [sum(each.get(part, 0) for part in parts) + by_signals for each in runs]
            rows.append([program, f"{cpu:.2f} s", f"{forks:.0f}", *(f"{taken[part]:.2f} %" for part in parts), f"{by_signals:.2f} %",
                         f"{statistics.median(whole):.2f} %", f"{min(whole):.2f} to {max(whole):.2f} %"])
    bench.say("What it takes from them:")
    bench.say()
    bench.table(["program", "processor time", "FORKs per s", *parts, "signals, at most", "all", "of the runs"], rows)


def tools(bench):
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        beside = compare.ways(bench.build, folder)
        for program, words in programs(folder, bench.quick).items():
            rows.append(compare.row_of(program, words, {"OMP_NUM_THREADS": "2"}, folder, beside, 3 if bench.quick else 7))
            print(" | ".join(rows[-1]), flush=True)
    bench.table(compare.head_of(beside), rows)
