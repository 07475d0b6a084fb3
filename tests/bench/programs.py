# SPDX-License-Identifier: Apache-2.0
"""Measures what ompcollect and the tools of others cost whole programs, which the user has built or
installed elsewhere:

  python3 tests/bench/programs.py [--rounds N] [--only TOOL,...] [--beside "TOOL=COMMAND"]... [--write] BUILD
      "NAME=COMMAND"...

Each command runs without a tool and with each of them, in turn; a run with a tool is compared with
the run without in its round. BUILD is the folder of a build. "NAME=COMMAND" may begin with
variables: "LULESH -s 12=OMP_NUM_THREADS=2 ./lulesh -s 12". Commands run in the folder in which this
is called. --beside names a tool more, which takes the program behind its command. --write puts the
table into tests/bench/results/programs.md.

For overhead.py:
  ways(build, folder)  what stands in front of the program's command: ompcollect, and the tools of
                       others that can be had here
  row_of(...)          of one program: its times, and what each way adds to them in percent,
                       processor time / elapsed: the median, and the range of the middle half
"""
import argparse
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import document

RATE = 97  # of ompcollect and perf; that of gprofng is 100


def begin_run(words, folder, variables):
    return subprocess.Popen([str(word) for word in words], env=dict(os.environ, **variables), cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run(words, folder, variables):
    """Seconds of processor time and by the clock, of all that the command starts."""
    begin = time.monotonic()
    process = begin_run(words, folder, variables)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, words))} ends with {status}")
    return used.ru_utime + used.ru_stime, time.monotonic() - begin


def can_run(words, folder):
    return subprocess.run([*words, shutil.which("true")], cwd=folder, capture_output=True, check=False).returncode == 0


def ways(build, folder):
    """gprofng wants a name that is not there yet, perf a file."""
    build = pathlib.Path(build).resolve()
    found = {"ompcollect": [build / "bin/ompcollect", "-o", "/dev/null"]}
    for name, words in {"perf record -g": ["perf", "record", "-q", "-g", "-F", str(RATE), "-o", "perf.data"],
                        "gprofng collect app": ["gprofng", "collect", "app", "-O", "experiment.er"]}.items():
        if can_run(words, folder):
            found[name] = words
        else:
            print(f"{name} cannot be had here: left out", flush=True)
    shutil.rmtree(folder / "experiment.er", ignore_errors=True)
    return found


def head_of(beside):
    return ["program", "processor time", "elapsed", *beside]


def row_of(name, words, variables, folder, beside, rounds):
    program = shutil.which(words[0])
    if not program:
        raise SystemExit(f"{name}: there is no program {words[0]} (a name has no = in it)")
    words = [program, *words[1:]]
    run(words, folder, variables)  # what is read for the first time
    times = {way: [] for way in ("", *beside)}
    for turn in range(rounds):
        for way in times if turn % 2 else reversed(times):
            times[way].append(run([*beside.get(way, []), *words], folder, variables))
            shutil.rmtree(folder / "experiment.er", ignore_errors=True)
    plain = times.pop("")
    row = [name, *(f"{statistics.median(each[part] for each in plain):.2f} s" for part in (0, 1))]
    for each in times.values():
        cells = []
        for part in (0, 1):
            low, middle, high = statistics.quantiles([100 * (x[part] / y[part] - 1) for x, y in zip(each, plain)], n=4)
            cells.append(f"{middle:+.1f} ({low:+.1f} to {high:+.1f})")
        row.append(" / ".join(cells))
    return row


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", type=lambda text: text.split(","), help="tools by their names in the table")
    parser.add_argument("--beside", action="append", default=[], help="a tool of yours, as TOOL=COMMAND")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("build")
    parser.add_argument("programs", nargs="+")
    return parser.parse_args()


def split(text):
    name, _, command = text.partition("=")
    words = shlex.split(command)
    variables = {}
    while "=" in words[0]:
        key, _, value = words.pop(0).partition("=")
        variables[key] = value
    return name, words, variables


def main():
    arguments = parse()
    here = pathlib.Path.cwd()
    beside = ways(arguments.build, here)
    beside = {tool: words for tool, words in beside.items() if not arguments.only or tool in arguments.only}
    beside.update((name, shlex.split(command)) for name, _, command in (text.partition("=") for text in arguments.beside))
    rows = []
    for name, words, variables in map(split, arguments.programs):
        rows.append(row_of(name, words, variables, here, beside, arguments.rounds))
        print(" | ".join(rows[-1]), flush=True)
    if arguments.write:
        os.chdir(pathlib.Path(__file__).resolve().parents[2])
        document.write_results("programs", document.table(head_of(beside), rows))


if __name__ == "__main__":
    main()
