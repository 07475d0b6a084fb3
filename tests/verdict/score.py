#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Executes planted programs under ompcollect and compares its verdict with their truth.

score.py --ompcollect FILE --programs FOLDER [--compilers clang,gcc] [--busy 0,2] [--only NAME,...]
FOLDER has COMPILER/planted. Each run's verdict is read from its JSON. A row of the table is a run:
cause, place and gain of the first finding beside the truth. With --most-of 3 a program is right
where two of three runs are: samples of a few seconds are off by more than a gain may be, now and
then. The exit code is 1 if a program is wrong.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

SHARE = 0.15  # of the truth
POINTS = 3.0
HEALTHY = 5.0


def truths_of(text):
    """The lines that the program printed: dictionaries, none for a healthy one."""
    truths = []
    for line in text.splitlines():
        if line.startswith("truth cause="):
            fields = dict(field.split("=", 1) for field in line.split()[1:])
            truths.append({"causes": fields["cause"].split(","), "place": fields["place"],
                           "line": int(fields["line"]), "gain": float(fields["gain"])})
        elif line == "truth healthy":
            return []
    if not truths:
        raise ValueError("the program printed no truth: " + text)
    return truths


def is_at(finding, truth):
    """One of the finding's places, largest first: the first must be it. Compilers place a region on
    its pragma or on a line of its statement; functions are compared, and the line where known."""
    place = finding["place"]
    # Of functions that only call each other either is the place.
    caller = finding["places"][0]["called_by"] if truth["line"] == 0 else ""
    if truth["place"] not in place + " " + caller:
        return False
    line = place.rsplit(":", 1)[-1]
    return truth["line"] == 0 or (line.isdigit() and abs(int(line) - truth["line"]) <= 1)


def is_near(gain, truth):
    return abs(gain - truth) <= max(SHARE * truth, POINTS)


def judge(findings, truths):
    """(cause, place, gain) right: True or False."""
    if not truths:
        good = all(100 * finding["share"] <= HEALTHY for finding in findings)
        return good, good, good
    if len(findings) < len(truths):
        return False, False, False
    cause = place = gain = True
    left = list(truths)
    for finding in findings[:len(truths)]:  # of a pair either may be first
        fitting = [truth for truth in left if finding["cause"] in truth["causes"]]
        if not fitting:
            return False, False, False
        left.remove(fitting[0])
        place = place and any(is_at(finding, truth) for truth in fitting)
        gain = gain and any(is_near(100 * finding["share"], truth["gain"]) for truth in fitting)
    return cause, place, gain


class Load:
    """So many processes that take what they get of the processors."""

    def __init__(self, count):
        self.processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                          for _ in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def verdict_of(ompcollect, program, name, environment):
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, "run.ompc")
        run = subprocess.run([ompcollect, "-o", saved, program, name],
                             env=environment, capture_output=True, text=True, timeout=600)
        if run.returncode != 0:
            raise RuntimeError(f"{program} {name}: exit code {run.returncode}: {run.stderr}")
        report = subprocess.run([ompcollect, "report", saved, "--format", "json"],
                                capture_output=True, text=True, check=True)
        return json.loads(report.stdout)["processes"][0], truths_of(run.stdout)


def row_of(findings, truths, right):
    first = findings[0] if findings else None
    said = (f"{first['cause']} {first['place']} {100 * first['share']:.1f} %"
            if first else "nothing stands out")
    wanted = " + ".join(f"{truth['causes'][0]} {truth['place']}:{truth['line']} "
                        f"{truth['gain']:.1f} %" for truth in truths) or "healthy"
    marks = "".join(letter if good else "-" for letter, good in zip("cpg", right))
    return marks, said, wanted


def most(rights, runs):
    """What more than half of so many runs have; None where the others may still change it."""
    more_than_half = runs // 2 + 1
    good = sum(rights)
    if good >= more_than_half:
        return True
    return False if len(rights) - good > runs - more_than_half else None


def try_one(options, program, row, environment):
    """Prints the last run's row. With --tries a run that is wrong is not the last one."""
    name, compiler, busy = row
    for _ in range(options.tries):
        with Load(busy):
            process, truths = verdict_of(options.ompcollect, program, name, environment)
        right = judge(process["findings"], truths)
        if options.causes_only:
            right = right[0], right[1], True
        if all(right):
            break
    if options.keep:
        file = os.path.join(options.keep, f"{name}-{compiler}-{busy}.json")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(process, out)
    marks, said, wanted = row_of(process["findings"], truths, right)
    print(f"{marks}  {name:22} {compiler:5} {busy} busy  {said}  | {wanted}", flush=True)
    return right


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--ompcollect", required=True)
    options.add_argument("--programs", required=True)
    options.add_argument("--compilers", default="clang,gcc")
    options.add_argument("--busy", default="0")
    options.add_argument("--only", default="")
    options.add_argument("--tries", type=int, default=1, help="a run that is wrong is repeated")
    options.add_argument("--most-of", type=int, default=1, help="runs: more than half must be right")
    options.add_argument("--causes-only", action="store_true", help="gains are not judged")
    options.add_argument("--keep", default="", help="a folder for the JSON of each run")
    options = options.parse_args()
    environment = dict(os.environ)
    wrong = 0
    programs = 0
    runs = []
    for compiler in options.compilers.split(","):
        program = os.path.join(options.programs, compiler, "planted")
        listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True)
        names = options.only.split(",") if options.only else listed.stdout.split()
        for busy in map(int, options.busy.split(",")):
            for name in names:
                rights = []
                while most(rights, options.most_of) is None:
                    right = try_one(options, program, (name, compiler, busy), environment)
                    rights.append(all(right))
                runs += rights
                programs += 1
                wrong += not most(rights, options.most_of)
    print(f"{programs - wrong} of {programs} right, {sum(runs)} of {len(runs)} runs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
