#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Executes planted programs under ompcollect and compares its verdict with their truth.

score.py --ompcollect FILE --programs FOLDER [--compilers clang,gcc] [--busy 0,2] [--only NAME,...]
score.py --ompcollect FILE --again FOLDER
The first FOLDER has COMPILER/planted. Each run's verdict is read from its JSON. A row of the table is a run:
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
        elif line.startswith("truth also="):  # on a shared machine it may be the first of both
            truths[-1]["also"] = line.split("=")[1]
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


def is_near(finding, truth):
    """Of what is told as the least the truth may be more, and less than an upper bound."""
    off = 100 * finding["share"] - truth
    off = off if finding.get("at_least") else -off if finding.get("at_most") else abs(off)
    return off <= max(SHARE * truth, POINTS)


def judge(findings, truths, is_shared=False):
    """(cause, place, gain) right: True or False. On a shared machine a cause may not be found."""
    if not truths:
        good = all(100 * finding["share"] <= HEALTHY for finding in findings)
        return good, good, good
    if len(findings) < len(truths) and not is_shared:
        return False, False, False
    cause = place = gain = True
    left = list(truths)
    for finding in findings[:len(truths)]:  # of a pair either may be first
        fitting = [truth for truth in left if finding["cause"] in truth["causes"]
                   or (is_shared and finding["cause"] == truth.get("also"))]
        if not fitting:
            return False, False, False
        left.remove(fitting[0])
        place = place and any(is_at(finding, truth) for truth in fitting)
        gain = gain and any(is_near(finding, truth["gain"]) for truth in fitting)
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


def profile(ompcollect, program, name, environment, saved):
    """Saves the run, and beside it what the program printed."""
    run = subprocess.run([ompcollect, "-o", saved, program, name],
                         env=environment, capture_output=True, text=True, timeout=600)
    if run.returncode != 0:
        raise RuntimeError(f"{program} {name}: exit code {run.returncode}: {run.stderr}")
    with open(saved + ".txt", "w", encoding="utf-8") as out:
        out.write(run.stdout)


def verdict_of(ompcollect, saved):
    report = subprocess.run([ompcollect, "report", saved, "--format", "json"],
                            capture_output=True, text=True, check=True)
    with open(saved + ".txt", encoding="utf-8") as printed:
        process = json.loads(report.stdout)["processes"][0]
        is_shared = any(warning["name"] == "shared_machine" for warning in process["warnings"])
        return process["findings"], truths_of(printed.read()), is_shared


def row_of(findings, truths, right):
    said = " + ".join(f"{finding['cause']} {finding['place']} {100 * finding['share']:.1f} %"
                      for finding in findings[:max(1, len(truths))]) or "nothing stands out"
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


def judge_saved(options, saved):
    """The printed row of a saved run, and whether all of it is right."""
    findings, truths, is_shared = verdict_of(options.ompcollect, saved)
    right = judge(findings, truths, is_shared)
    if options.causes_only:
        right = right[0], right[1], True
    marks, said, wanted = row_of(findings, truths, right)
    return f"{marks}  {{}}  {said}  | {wanted}", all(right)


def try_one(options, program, row, number, environment):
    """Prints the last run's row. With --tries a run that is wrong is not the last one."""
    name, compiler, busy = row
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(options.keep or folder, f"{name}-{compiler}-{busy}-{number}.ompc")
        for _ in range(options.tries):
            with Load(busy):
                profile(options.ompcollect, program, name, environment, saved)
            text, is_right = judge_saved(options, saved)
            if is_right:
                break
    print(text.format(f"{name:22} {compiler:5} {busy} busy"), flush=True)
    return is_right


def judge_again(options):
    """The kept runs, by the report as it is now."""
    wrong = 0
    files = sorted(file for file in os.listdir(options.again) if file.endswith(".ompc"))
    for file in files:
        text, is_right = judge_saved(options, os.path.join(options.again, file))
        wrong += not is_right
        print(text.format(f"{file:38}"))
    print(f"{len(files) - wrong} of {len(files)} runs")
    return 1 if wrong or not files else 0


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--ompcollect", required=True)
    options.add_argument("--programs", default="")
    options.add_argument("--compilers", default="clang,gcc")
    options.add_argument("--busy", default="0")
    options.add_argument("--only", default="")
    options.add_argument("--tries", type=int, default=1, help="a run that is wrong is repeated")
    options.add_argument("--most-of", type=int, default=1, help="runs: more than half must be right")
    options.add_argument("--causes-only", action="store_true", help="gains are not judged")
    options.add_argument("--keep", default="", help="a folder for the runs")
    options.add_argument("--again", default="", help="judges the runs kept in that folder")
    options = options.parse_args()
    if options.again:
        return judge_again(options)
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
                    rights.append(try_one(options, program, (name, compiler, busy), len(rights),
                                          environment))
                runs += rights
                programs += 1
                wrong += not most(rights, options.most_of)
    print(f"{programs - wrong} of {programs} right, {sum(runs)} of {len(runs)} runs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
