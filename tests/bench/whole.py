# SPDX-License-Identifier: Apache-2.0
"""What the default way adds to programs of which little but OpenMP is left, and to LULESH.

  tables(bench)  instructions of a task, an empty region, a barrier and a step of LULESH (a small
                 problem), by callgrind with one thread, as the difference of two sizes: start and
                 end are left out; then whole runs by the clock: the shortest of some, as other
                 programs take the processors from threads that wait for each other, and the median
                 of all pairs of neighbours

Beside each other: the program alone; with an OMPT tool that registers nothing, which nobody with a
tool can undercut; with one behind the front that keeps what each event promises, and has neither regions nor
call paths (native_tool.cpp); as `ompcollect` starts it, but with a collector that only counts its
events; as `ompcollect` starts it. Called by measure.py. LULESH is built from
the folder OCB_BENCH_LULESH (its sources, from anywhere); without it its rows are left out.
"""
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

BUILT_BY = (("clang", 14), ("clang", 19), ("gcc", 0))  # and the version of libomp
SIZES = {"task": ("tasks", "14", "20", 2 * (10946 - 610)), "empty region": ("regions", "1000", "11000", 10000),
         "barrier": ("barriers", "1000", "11000", 10000)}
WAYS = ("alone", "attached", "promises", "least", "default")
RATIOS = (("default", "alone"), ("default", "attached"), ("least", "attached"), ("promises", "attached"))


def environments(bench, words, version, threads, rate="1"):
    """Of each way. Samples come rarely: callgrind's clock is slow, and they are not the question."""
    plain = dict(os.environ, OMP_NUM_THREADS=str(threads))
    if version:
        plain["LD_LIBRARY_PATH"] = str(pathlib.Path(f"build/libomp/{version}/lib").resolve())
    if threads == 1:
        plain["KMP_BLOCKTIME"] = "0"
    shown = subprocess.run([str(bench.build / "bin/ompcollect"), "--dry-run", "--rate", rate, *words],
                           env=plain, capture_output=True, text=True, check=True).stdout
    tool = {"LD_PRELOAD": str(bench.build / "lib/libocb-bench-tool.so"), "OCB_BENCH_TOOL": "none"}
    behind_front = {"LD_PRELOAD": f"{bench.build}/lib/libomp-collector-front.so:{tool['LD_PRELOAD']}", "OCB_BENCH_TOOL": "keep"}
    default = dict(re.findall(r"^(\w+)=(.*) \\$", shown, re.M))
    least = {"OMPCOLLECT_COLLECTOR": str(bench.build / "lib/libocb-bench-collector.so"), "OCB_BENCH_EVENTS": "least"}
    return {"alone": plain, "attached": {**plain, **tool}, "promises": {**plain, **behind_front},
            "least": {**plain, **default, **least}, "default": {**plain, **default}}


def instructions(words, environment):
    """Of the whole process, and of those what is in the built-in collector."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *words],
                              env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{words}: exit {done.returncode} {done.stderr[-2000:]}")
        own = in_object(pathlib.Path(folder, "out").read_text(errors="replace").splitlines(), "libompcollect-default.so")
        return int(re.search(r"Collected : (\d+)", done.stderr).group(1)), own


def in_object(lines, name):
    names, spent, current, is_call = {}, 0, "", False
    for line in lines:
        if line.startswith(("ob=", "cob=")):
            number, text = re.match(r"c?ob=\((\d+)\)(?: (.*))?", line).groups()
            names.setdefault(number, text)
            current = names[number] if line.startswith("ob=") else current
        elif line.startswith("calls="):
            is_call = True
        elif line and line[0] in "0123456789+-*":
            spent += 0 if is_call or not current.endswith(name) else int(line.split()[1])
            is_call = False
    return spent


def difference(bench, small, large, version, units):
    """Per unit: of each way, and in the collector."""
    per, collector = {}, 0
    for way in WAYS:
        (few, own_few), (many, own_many) = (instructions(words, environments(bench, words, version, 1)[way]) for words in (small, large))
        per[way] = (many - few) / units
        collector = (own_many - own_few) / units
    return per, collector


def row_of(name, compiler, version, per, collector):
    return [name, f"clang, libomp {version}" if version else "gcc, libgomp", *(f"{per[way]:.0f}" for way in WAYS),
            *(f"{per[way] / per[other]:.3f}" for way, other in RATIOS), f"{abs(collector):.0f}"]


def lulesh(folder):
    """Of each compiler; nothing where the sources are not there."""
    sources = sorted(pathlib.Path(os.environ.get("OCB_BENCH_LULESH", folder / "none")).glob("lulesh*.cc"))
    built = {}
    for compiler, command in (("clang", "clang++-14"), ("gcc", "g++")) if sources else ():
        built[compiler] = str(folder / f"lulesh-{compiler}")
        subprocess.run([command, "-O3", "-g1", "-gdwarf-4", "-fopenmp", "-DUSE_MPI=0", "-o", built[compiler], *map(str, sources), "-lm"], check=True)
    if not built:
        print("LULESH: OCB_BENCH_LULESH names no folder with its sources; left out", flush=True)
    return built


def of_pairs(times, others):
    """The median of the ratios of neighbours, and where half of them lie."""
    low, middle, high = statistics.quantiles((one / other for one, other in zip(times, others)), n=4)
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def by_the_clock(bench, rounds, works):
    rows = []
    for name, compiler, version, words in works:
        environment = environments(bench, words, version, 2, "97")
        commands = {way: words for way in WAYS[:-1]} | {"default": [str(bench.build / "bin/ompcollect"), *words]}
        if not version:
            del commands["attached"]
        times = {way: [] for way in commands}
        for turn in range(rounds):
            for way in commands if turn % 2 else reversed(commands):
                begin = time.monotonic()
                subprocess.run(commands[way], env=environment["alone" if way == "default" else way], check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                times[way].append(time.monotonic() - begin)
        times.setdefault("attached", times["alone"])
        best = {way: min(values) for way, values in times.items()}
        rows.append([name, f"clang, libomp {version}" if version else "gcc, libgomp", *(f"{best[way]:.2f}" for way in WAYS),
                     *(f"{best[way] / best[other]:.2f}" for way, other in RATIOS), of_pairs(times["default"], times["attached"])])
    bench.say(f"Whole runs under `ompcollect`, 97 Hz, two threads, seconds, the shortest of {rounds} interleaved runs:")
    bench.say()
    bench.table(["program", "built by", *WAYS, *(f"{way} / {other}" for way, other in RATIOS), "of pairs"], rows)


def tables(bench):
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        found = lulesh(folder)
        rows = []
        for compiler, version in BUILT_BY:
            program = str(bench.build / "tests/bench/programs" / compiler / "whole")
            for name, (what, small, large, units) in SIZES.items():
                rows.append(row_of(name, compiler, version, *difference(bench, [program, what, small], [program, what, large], version, units)))
            if compiler in found:
                words = [[found[compiler], "-q", "-s", "12", "-i", str(steps)] for steps in (5, 45)]
                rows.append(row_of("LULESH, s=12, a step", compiler, version, *difference(bench, *words, version, 40)))
        bench.say("Instructions with one thread:")
        bench.say()
        bench.table(["each", "built by", *WAYS, *(f"{way} / {other}" for way, other in RATIOS), "in the collector"], sorted(rows, key=lambda row: row[0]))
        works = []
        for compiler, version in BUILT_BY:
            program = str(bench.build / "tests/bench/programs" / compiler / "whole")
            works += [("fib 28, 1.6 million tasks", compiler, version, [program, "tasks", "28"]),
                      ("a million empty regions", compiler, version, [program, "regions", "1000000"]),
                      ("three million barriers", compiler, version, [program, "barriers", "3000000"])]
            if compiler in found:
                works.append(("LULESH, s=12", compiler, version, [found[compiler], "-q", "-s", "12"]))
        by_the_clock(bench, 3 if bench.quick else 11, sorted(works))
