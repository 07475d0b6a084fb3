#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What libgomp-ompt costs: measure.py BUILD LIBOMP [--write]. Each construct of constructs.c on
# libgomp alone, with libgomp-ompt and no tool, with a tool that registers nothing, with one that can
# only ask, with the recorder, and on libomp alone and with the same tools. First the instructions of
# one thread, counted by callgrind; then the times of one thread: of the base itself, and as ratios
# to it. --write makes tests/bench/results/libgomp.md and docs/PERFORMANCE.md of it.
import os
import pathlib
import statistics
import subprocess
import sys

build, libomp = sys.argv[1], sys.argv[2]
rounds = int(os.environ.get("OCB_BENCH_ROUNDS", "25"))
program = f"{build}/tests/libgomp/programs/bench"
ompt = f"{build}/lib/libgomp-ompt.so"
recorder = f"{build}/lib/libocb-libgomp-recorder.so"
NOTHING = {"OCB_RECORD_NOTHING": "1"}
ASKS = {"OCB_RECORD_ASKS": "1"}
WAYS = {
    "alone": ("", {}),
    "no tool": (ompt, {}),
    "empty tool": (f"{ompt}:{recorder}", NOTHING),
    "asking tool": (f"{ompt}:{recorder}", ASKS),
    "counting tool": (f"{ompt}:{recorder}", {}),
    "libomp": (libomp, {}),
    "libomp, empty tool": (f"{libomp}:{recorder}", NOTHING),
    "libomp, asking tool": (f"{libomp}:{recorder}", ASKS),
    "libomp, counting tool": (f"{libomp}:{recorder}", {}),
}


def environment(way, threads):
    preload, extra = WAYS[way]
    return {"LD_PRELOAD": preload, "OMP_NUM_THREADS": str(threads), "PATH": os.environ["PATH"],
            **extra}


def instructions(construct, way, count):
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, construct,
         str(count)], env=environment(way, 1), capture_output=True, text=True, check=True)
    return int(result.stderr.split("Collected :")[1].split()[0])


def per_construct(construct, way):
    few, many = 200, 1200
    return (instructions(construct, way, many) - instructions(construct, way, few)) / (many - few)


def nanoseconds(construct, way, threads):
    result = subprocess.run([program, construct, "300", "15"], env=environment(way, threads),
                            capture_output=True, text=True, check=True)
    return float(result.stdout)


def base_of(way):
    return "libomp" if way.startswith("libomp") else "alone"


# The fastest of all rounds, what else runs on the machine only adds; and the median of the ratios to
# the base in the same round.
def times_of(construct):
    times = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way in WAYS:
            times[way].append(nanoseconds(construct, way, 1))
    ratios = {way: statistics.median(one / base for one, base in zip(times[way], times[base_of(way)]))
              for way in WAYS}
    return {way: min(times[way]) for way in WAYS}, ratios


def row(construct):
    counts = {way: per_construct(construct, way) for way in WAYS}
    fastest, ratios = times_of(construct)
    cells = []
    for way in WAYS:
        if way == base_of(way):
            cells.append(f"{counts[way]:.0f} ({fastest[way]:.0f} ns)")
        else:
            cells.append(f"{counts[way]:.0f} / {ratios[way]:.2f}")
    return f"| {construct} | " + " | ".join(cells) + " |"


lines = ["| construct | " + " | ".join(WAYS) + " |", "|" + "---|" * (len(WAYS) + 1)]
print("\n".join(lines))
for name in subprocess.run([program], capture_output=True, text=True, check=True).stdout.split("\n"):
    if name:
        lines.append(row(name))
        print(lines[-1], flush=True)
if "--write" in sys.argv:
    sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
    import document

    document.write_results("libgomp", "\n".join(lines))
    document.DOCUMENT.write_text(document.document())
