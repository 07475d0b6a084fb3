# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of tests/bench in every configuration, interleaved, and compares them.

Called by run.sh. Prints the tables as they come and, but for --quick, writes them by document.py to
tests/bench/results/ and docs/PERFORMANCE.md. Nothing of the machine but its kind is named.
"""
import argparse
import itertools
import json
import os
import pathlib
import re
import statistics
import subprocess
import tempfile

import document
import overhead
import whole

# What ompcollect preloads beside the bridge, in its order, before a program with libomp.
BEFORE_RUNTIME = ["omp-collector-front", "ompcollect-preload"]
CONFIGURATIONS = {  # preloaded libraries, environment
    "a": ([], {}),
    "b": (["ocb-bench-tool"], {"OCB_BENCH_TOOL": "none"}),
    "c": (["ocb-bench-tool"], {"OCB_BENCH_TOOL": "count"}),
    "d": (["omp-collector-bridge"], {}),
    "e": (["omp-collector-bridge", "ocb-bench-collector"], {"OCB_BENCH_EVENTS": "fork", "OCB_OBSERVE": "registered"}),
    "f": (["omp-collector-bridge", "ocb-bench-collector"], {"OCB_BENCH_EVENTS": "all"}),
    "k": ([*BEFORE_RUNTIME, "omp-collector-bridge", "ocb-bench-collector"], {"OCB_BENCH_EVENTS": "all"}),
    "o": ([*BEFORE_RUNTIME, "omp-collector-bridge", "ompcollect-default"], {"OMPCOLLECT_RATE": "1"}),
    "g": (["ocb-bench-tool"], {"OCB_BENCH_TOOL": "least"}),
    "n": (["omp-collector-front", "ocb-bench-tool"], {"OCB_BENCH_TOOL": "least"}),
    "p": (["omp-collector-front", "ocb-bench-tool"], {"OCB_BENCH_TOOL": "keep"}),
}
# For requests: with the front, through which no request goes, but whose marks STATE looks at.
LOADED_AS_LAUNCHED = {"m": (["omp-collector-front", "omp-collector-bridge"], {})}
# The front before a started bridge (e), and how often a passage calls through it.
WITH_FRONT = {
    "h": (["omp-collector-front", "omp-collector-bridge", "ocb-bench-collector"],
          {"OCB_BENCH_EVENTS": "fork", "OCB_OBSERVE": "registered"}),
}
FRONT_CALLS = {"for": 3, "barrier": 1, "single": 3, "critical": 2, "lock": 2, "ordered": 3, "task": 2}
# ompcollect's own collector: which stacks it keeps. Signals come rarely where forks are counted.
STACKS = {
    stacks: (["omp-collector-bridge", "ompcollect-default"], {"OMPCOLLECT_STACKS": stacks, "OMPCOLLECT_RATE": "1"})
    for stacks in ("off", "full")
}
STATE_COMMANDS = [["request_states"], ["request_states", "early"], ["request_states", "inside"], ["request_states_of_tasks"]]
STATE_PAIRS = [
    ("STATE", "ompt_get_state"),
    ("CURRENT_PRID", "ompt_get_parallel_info(0)"),
    ("PARENT_PRID", "ompt_get_parallel_info(1)"),
]
COUNTED_ONLY = "onp"  # a sampler, and floors: their times are shown elsewhere
RATIOS = [("d", "a"), ("d", "b"), ("e", "b"), ("k", "c"), ("o", "c"), ("n", "c"), ("p", "c"), ("f", "c"), ("g", "c")]
REQUEST_PAIRS = [
    ("STATE", "ompt_get_state"),
    ("CURRENT_PRID", "ompt_get_parallel_info"),
    ("both_batch", "both_ompt"),
    ("ompt_get_state_again", "ompt_get_state"),
]


class Bench:
    def __init__(self, build, quick):
        self.build = pathlib.Path(build).resolve()
        self.programs = self.build / "tests/bench/programs/clang"
        self.quick = quick
        self.lines = []

    def say(self, line=""):
        print(line, flush=True)
        self.lines.append(line)

    def table(self, head, rows):
        self.say("| " + " | ".join(head) + " |")
        self.say("|" + "---|" * len(head))
        for row in rows:
            self.say("| " + " | ".join(row) + " |")
        self.say()

    def run(self, configuration, version, command, **more):
        libraries, settings = {**CONFIGURATIONS, **LOADED_AS_LAUNCHED, **WITH_FRONT, **STACKS}[configuration]
        preload = " ".join(str(self.build / "lib" / f"lib{name}.so") for name in libraries)
        environment = dict(os.environ, LD_LIBRARY_PATH=str(pathlib.Path(f"build/libomp/{version}/lib").resolve()))
        environment.pop("OMP_NUM_THREADS", None)
        environment.update(settings)
        environment.update(more)
        if preload:
            environment["LD_PRELOAD"] = preload
        for attempt in range(2):
            done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True)
            if done.returncode == 0:
                break
            # Said, not hidden: on a shared machine a process may be ended by others.
            print(f"attempt {attempt + 1} of {configuration} {command[0]}: "
                  f"exit {done.returncode}", flush=True)
        if done.returncode != 0:
            raise SystemExit(f"{configuration} {command}: exit {done.returncode} {done.stderr[-2000:]}")
        return done.stdout

    def dumps(self, configuration, version, command, **more):
        """The program's callgrind dumps: {name: lines}."""
        with tempfile.TemporaryDirectory() as folder:
            self.run(configuration, version,
                     ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--fair-sched=try"] + command,
                     KMP_BLOCKTIME="0", **more)
            found = {}
            for path in sorted(pathlib.Path(folder).glob("out.*"), key=lambda p: int(p.suffix[1:])):
                lines = path.read_text(errors="replace").splitlines()
                for line in lines[:30]:
                    match = re.match(r"desc: Trigger: Client Request: (.*)", line)
                    if match:
                        found[match.group(1)] = lines
            return found

    def instructions(self, configuration, version, command, passages):
        totals = {}
        for name, lines in self.dumps(configuration, version, command).items():
            total = [line for line in lines if line.startswith(("totals:", "summary:"))][-1]
            totals[name] = int(total.split()[1]) / passages
        return totals


def median_and_spread(values):
    """The median, and half the distance between the quartiles relative to it."""
    middle = statistics.median(values)
    if len(values) < 4:
        return middle, (max(values) - min(values)) / 2 / middle
    quartiles = statistics.quantiles(values, n=4)
    return middle, (quartiles[2] - quartiles[0]) / 2 / middle


def paired(over, under):
    """Median and spread of the ratios of runs that were neighbours."""
    return median_and_spread([x / y for x, y in zip(over, under)])


def shown(value, spread):
    return f"{value:.2f} ±{100 * spread:.0f}%"


def requests(bench):
    passages = 2000
    for version in bench.versions:
        out = bench.run("d", version, [
            bench.programs / "requests", "--benchmark_format=json", "--benchmark_enable_random_interleaving=true",
            f"--benchmark_repetitions={7 if bench.quick else 31}", "--benchmark_min_time=0.01"], KMP_BLOCKTIME="0")
        times = {}
        for row in json.loads(out)["benchmarks"]:
            if row["run_type"] == "iteration":
                times.setdefault(row["name"].split("/repeats")[0], []).append(row["cpu_time"])
        counts = bench.instructions("d", version, [bench.programs / "requests", "--count", passages], passages)
        rows = []
        for place in ("normal", "handler"):
            for over, under in REQUEST_PAIRS:
                x, y = f"{place}/{over}", f"{place}/{under}"
                (time_x, spread_x), (time_y, spread_y) = median_and_spread(times[x]), median_and_spread(times[y])
                rows.append([place, over, under, f"{time_x:.1f} ±{100 * spread_x:.0f}%", f"{time_y:.1f} ±{100 * spread_y:.0f}%",
                             f"{time_x / time_y:.2f}", f"{counts[x]:.0f}", f"{counts[y]:.0f}", f"{counts[x] / counts[y]:.2f}"])
        bench.say(f"libomp {version}:")
        bench.say()
        bench.table(["where", "request", "against", "ns", "ns of OMPT", "ratio", "instructions", "of OMPT", "ratio"], rows)


def states(bench):
    times = 300
    for version in bench.versions:
        counts, shortest = ({"m": {}, "d": {}} for _ in range(2))
        for way, command in itertools.product(counts, STATE_COMMANDS):
            found = bench.dumps(way, version, [bench.programs / command[0], times, *command[1:]])
            for name, lines in found.items():
                total = [line for line in lines if line.startswith(("totals:", "summary:"))][-1]
                counts[way][name] = int(total.split()[1]) / times
            for _ in range(2 if bench.quick else 15):
                out = bench.run(way, version, [bench.programs / command[0], 1000, *command[1:]], KMP_BLOCKTIME="0")
                for name, ns in re.findall(r"^(.*)\t(.*)$", out, re.M):
                    shortest[way][name] = min(float(ns), shortest[way].get(name, float("inf")))
        bench.say(f"libomp {version}:")
        bench.say()
        state_table(bench, counts, "{:.0f}")
        bench.say(f"libomp {version}, the shortest of many rounds, in ns:")
        bench.say()
        state_table(bench, shortest, "{:.1f}")
        limits = [f"{counts['d'][row]:.0f} instructions and {shortest['d'][row]:.1f} ns" for row in ("serial/nothing", "serial/at once")]
        bench.say(f"The caller's loop with a call that does nothing takes {limits[0]}.")
        bench.say(f"One that writes an answer without a question takes {limits[1]}.")
        bench.say()


def state_table(bench, costs, shape):
    rows = []
    for state in dict.fromkeys(name.split("/")[0] for name in costs["d"]):
        row = [state]
        for request, call in STATE_PAIRS:
            launched, bare = (costs[way][f"{state}/{request}"] for way in costs)
            of_ompt = costs["m"][f"{state}/{call}"]
            row += [" / ".join(shape.format(cost) for cost in (launched, bare, of_ompt)), f"{launched / of_ompt:.2f}"]
        rows.append(row)
    head = [cell for request, _ in STATE_PAIRS for cell in (request, "ratio")]
    bench.table(["the thread is", *head], rows)


def event_instructions(bench, version):
    passages = 1000
    counts = {name: bench.instructions(name, version, [bench.programs / "constructs", "--count", 1, passages], passages)
              for name in CONFIGURATIONS}
    rows = []
    for construct in counts["a"]:
        row = [construct] + [f"{counts[name][construct]:.0f}" for name in CONFIGURATIONS]
        rows.append(row + [f"{counts[x][construct] / counts[y][construct]:.3f}" for x, y in RATIOS])
    bench.say(f"Instructions per passage, one thread, libomp {version}:")
    bench.say()
    bench.table(["construct", *CONFIGURATIONS, *[f"{x}/{y}" for x, y in RATIOS]], rows)


def event_times(bench, version, threads, passages):
    rounds = 5 if bench.quick else bench.rounds
    times = {}
    timed = [name for name in CONFIGURATIONS if name not in COUNTED_ONLY]
    order = [*timed, "c'"]  # c again: same against same
    for turn in range(rounds):
        for name in order if turn % 2 == 0 else reversed(order):
            out = bench.run(name[0], version, [bench.programs / "constructs", threads, passages])
            for line in out.splitlines():
                construct, value = line.split()
                times.setdefault(construct, {}).setdefault(name, []).append(float(value))
    rows = []
    for construct, by_name in times.items():
        row = [construct] + [f"{statistics.median(by_name[name]):.1f}" for name in timed]
        row += [shown(*paired(by_name[x], by_name[y])) for x, y in RATIOS if x not in COUNTED_ONLY]
        rows.append(row + [shown(*paired(by_name["c'"], by_name["c"]))])
    bench.say(f"Nanoseconds per passage, {threads} thread{'s' if threads > 1 else ''}, libomp {version}, medians of {rounds} rounds:")
    bench.say()
    bench.table(["construct", *timed, *[f"{x}/{y}" for x, y in RATIOS if x not in COUNTED_ONLY], "same/same"], rows)


def cost_in_bridge(dumps):
    """Instructions in the bridge's own code, and calls into it from the runtime, of each dump."""
    names, result = {}, {}

    def object_of(text):
        match = re.match(r"\((\d+)\)(?: (.*))?", text)
        if match.group(2):
            names[match.group(1)] = match.group(2)
        return names.get(match.group(1), "")

    for construct, lines in dumps.items():
        spent = calls = 0
        current = callee = ""
        is_call = False
        for line in lines:
            if line.startswith("ob="):
                current = object_of(line[3:])
                callee = current
            elif line.startswith("fn="):
                callee = current
            elif line.startswith("cob="):
                callee = object_of(line[4:])
            elif line.startswith("calls="):
                if "libomp.so" in current and "collector-bridge" in callee:
                    calls += int(line[6:].split()[0])
                is_call = True
            elif line and line[0] in "0123456789+-*":
                if not is_call and "collector-bridge" in current:
                    spent += int(line.split()[1])
                is_call = False
                callee = current
        result[construct] = (spent, calls)
    return result


def scale(bench):
    constructs = ["parallel", "barrier", "single", "critical", "lock", "task"]
    counts = [1, 2, 8, 32] if bench.quick else [1, 2, 4, 8, 16, 32, 64, 128]
    rows = {construct: [construct] for construct in constructs}
    for threads in counts:
        for construct in constructs:
            dumps = bench.dumps("f", 14, [bench.programs / "constructs", "--count", threads, max(40, 2 * threads), construct],
                                OCB_WAIT_EVENTS="all")
            spent, calls = cost_in_bridge(dumps)[construct]
            rows[construct].append(f"{spent / calls:.0f}" if calls else "–")
    bench.table(["construct", *[str(threads) for threads in counts]], list(rows.values()))


def front(bench):
    rounds = 5 if bench.quick else 15
    for version in bench.versions:
        command = [bench.programs / "constructs"]
        counts = {name: bench.instructions(name, version, [*command, "--count", 1, 1000], 1000) for name in "eh"}
        times = {}
        for turn in range(rounds):
            for name in "ehe":
                for line in bench.run(name, version, [*command, 1, 10000]).splitlines():
                    construct, value = line.split()
                    times.setdefault(construct, {}).setdefault(name, []).append(float(value))
        rows = []
        for construct, count in counts["e"].items():
            row = [construct, f"{count:.0f}", f"{counts['h'][construct]:.0f}"]
            one = times[construct]
            before, same = one["e"][0::2], one["e"][1::2]  # e again: same against same
            row += [f"{statistics.median(one['e']):.1f}", f"{statistics.median(one['h']):.1f}"]
            calls = FRONT_CALLS.get(construct)
            added = statistics.median(x - (y + z) / 2 for x, y, z in zip(one["h"], before, same))
            row.append(f"{added / calls:.1f}" if calls else "")
            rows.append(row + [shown(*paired(one["h"], before)), shown(*paired(same, before))])
        bench.say(f"libomp {version}:")
        bench.say()
        bench.table(["construct", "instructions, e", "h", "ns, e", "h", "ns per call", "h/e", "same/same"], rows)


def memory(bench):
    regions, threads = (200000, 4000) if bench.quick else (10000000, 100000)
    rows = []
    for version in bench.versions:
        for name in ("a", "f"):
            out = bench.run(name, version, [bench.programs / "memory", regions, threads])
            figures = {line.split()[0]: [int(word) for word in line.split()[1:]] for line in out.splitlines()}
            (before, after), (early, late) = figures["regions"], figures["threads"]
            alive, low, high = figures["alive"]
            rows.append([f"libomp {version}", "no tool" if name == "a" else "bridge, 22 events",
                         f"{before} → {after}", f"{1024 * (after - before) / (0.9 * regions):.2f}",
                         f"{early} → {late}", f"{1024 * (late - early) / (0.9 * threads):.2f}",
                         f"{(high - low) / alive:.1f}"])
    bench.say(f"{regions} regions, {threads} ended threads (from a tenth of them to all), 120 more threads at once:")
    bench.say()
    bench.table(["runtime", "with", "regions: KiB", "bytes per region", "threads: KiB", "bytes per ended thread", "KiB per live thread"], rows)


def instructions_in(dump, function):
    """Instructions of a function and what it calls, in a dump of callgrind."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("\n".join(dump) + "\n")
        file.flush()
        out = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no", file.name],
                             capture_output=True, text=True, check=True).stdout
    counts = [int(line.split()[0].replace(",", "")) for line in out.splitlines() if function in line]
    return max(counts) if counts else 0


def figures_of(out):
    return {line.split()[0]: float(line.split()[1]) for line in out.splitlines()}


def forks_with_paths(bench, version, rounds):
    rows = []
    for depth in (10, 20, 40):
        command = [bench.programs / "call_paths"]
        counts = {stacks: bench.instructions(stacks, version, [*command, "--count", depth, 10000, 0], 10000) for stacks in STACKS}
        times = {stacks: [] for stacks in STACKS}
        for turn in range(rounds):
            for stacks in ("off", "full") if turn % 2 else ("full", "off"):
                times[stacks].append(figures_of(bench.run(stacks, version, [*command, depth, 10000, 0])))
        row = [str(depth)]
        for kind in ("hit", "walk"):
            added = [x[kind] - y[kind] for x, y in zip(times["full"], times["off"])]
            low, middle, high = statistics.quantiles(added, n=4)
            row += [f"{counts['full'][kind] - counts['off'][kind]:.0f}", f"{middle:.0f}", f"{low:.0f} to {high:.0f}"]
        rows.append([row[0], f"{counts['off']['hit']:.0f}", *row[1:]])
    bench.say(f"A FORK, libomp {version}:")
    bench.say()
    bench.table(["frames", "instructions without", "known: added", "ns", "half of the rounds", "walked: added", "ns",
                 "half of the rounds"], rows)


def samples_with_paths(bench, version, rounds):
    """Microseconds of the slowest."""
    samples = 300
    slowest = 0
    rows = []
    for depth in (10, 30, 60):
        command = [bench.programs / "call_paths"]
        row = [str(depth)]
        times = {stacks: [] for stacks in STACKS}
        for stacks in STACKS:
            dumps = bench.dumps(stacks, version, [*command, "--count", depth, 0, samples], OMPCOLLECT_RATE="200")
            row.append(f"{instructions_in(dumps['sample'], 'on_signal(') / samples:.0f}")
        for turn in range(rounds):
            for stacks in ("off", "full") if turn % 2 else ("full", "off"):
                out = bench.run(stacks, version, [*command, depth, 0, 300], OMPCOLLECT_RATE="1000")
                times[stacks].append(figures_of(out)["sample"] / 1000)
        for stacks in ("off", "full"):
            low, middle, high = statistics.quantiles(times[stacks], n=4)
            row += [f"{middle:.1f}", f"{low:.1f} to {high:.1f}"]
        slowest = max(slowest, middle)
        rows.append(row)
    bench.say(f"A sample, libomp {version}:")
    bench.say()
    bench.table(["frames", "instructions without", "with", "µs without", "half of the rounds", "µs with", "half of the rounds"], rows)
    return slowest


def paths(bench):
    rounds = 5 if bench.quick else 15
    slowest_sample = 0
    for version in bench.versions:
        forks_with_paths(bench, version, rounds)
        slowest_sample = max(slowest_sample, samples_with_paths(bench, version, rounds))
    overhead.known_stacks(bench)
    overhead.by_parts(bench, slowest_sample)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=15, help="of the times of events")
    parser.add_argument("--only", help="one of the sections, by name", default="")
    options = parser.parse_args()
    bench = Bench(options.build, options.quick)
    bench.rounds = options.rounds
    bench.versions = [14] if options.quick else [14, 19]

    def events():
        for version in bench.versions:
            event_instructions(bench, version)
        for version in bench.versions:
            event_times(bench, version, 1, 10000)
            event_times(bench, version, 2, 1000)

    sections = {"requests": lambda: requests(bench), "states": lambda: states(bench), "events": events,
                "scale": lambda: scale(bench), "front": lambda: front(bench), "memory": lambda: memory(bench), "paths": lambda: paths(bench),
                "overhead": lambda: overhead.tools(bench), "whole": lambda: whole.tables(bench)}
    for name, measure in sections.items():
        if options.only and options.only != name:
            continue
        print(f"{name}\n", flush=True)
        bench.lines = []
        measure()
        if not options.quick:
            document.write_results(name, "\n".join(bench.lines).rstrip())
    if not options.quick:
        document.main([])
        print("Written. The sentences of tests/bench/templates/ quote figures too: compare them with the new tables.")


if __name__ == "__main__":
    main()
