# SPDX-License-Identifier: Apache-2.0
"""Runs a script under ompcollect and compares the lines of Python in its profile with the script's
own words:

    # share N        so many units of the thread time in regions are below this line
    # share N of F:L the same of code that has no file
    # path A > B     a call path has these names, in this order, with others in between
    # serial         all serial time is below such lines

lines.py --ompcollect PROGRAM --python PROGRAM --library FILE SCRIPT
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent / "scripts"
MOST_WRONG = 0.1  # part of all that may be elsewhere
MOST_OFF = 0.15  # of a share
TRIES = 4  # on a machine that has other work


def expected(script):
    """{file:line: units}, [lines of serial time], [paths]."""
    shares, serial, paths = {}, [], []
    for number, line in enumerate(script.read_text().splitlines(), 1):
        words = line.partition("#")[2].strip()
        place = f"{script.name}:{number - 1 if 'line before' in words else number}"
        if words == "serial":
            serial.append(place)
        elif words.startswith("path "):
            paths.append(words[len("path "):].split(" > "))
        elif words.startswith("share "):
            for units, where in re.findall(r"(\d+)(?: of (<[^>]*>:\d+|\S+:\d+))?(?:,|$| from)", words):
                shares[where or place] = int(units)
    return shares, serial, paths


class Profile:
    """One process of a run."""

    def __init__(self, process, states):
        self.nodes = process["nodes"]
        cells = process["cells"]
        self.cells = list(zip(cells["node"], [states[s] for s in cells["state"]], cells["wall"]))

    def path(self, number):
        """Nodes from the root."""
        path = []
        while number >= 0:
            path.append(self.nodes[number])
            number = path[-1]["parent"]
        return path[::-1]

    def line(self, path):
        """The innermost line of Python on a path, as file:line."""
        for node in reversed(path):
            source = node.get("source", "")
            if node["kind"] == "function" and source and node["function"].endswith(" " + source):
                return source
        return None

    def times(self, in_regions):
        """{file:line: thread seconds}."""
        times = collections.Counter()
        for number, state, seconds in self.cells:
            if number < 0 or state == "IDLE":
                continue
            path = self.path(number)
            if any(node["kind"] == "region" for node in path) == in_regions:
                times[self.line(path)] += seconds
        return times


def run(arguments, script, folder, more=()):
    """The profiles of the processes of a run, the first one's first."""
    saved = folder / "run.ompc"
    file = folder / "run.json"
    commands = [[arguments.ompcollect, *arguments.options, "-o", saved, arguments.python, "-B", script,
                 arguments.library, *more],
                [arguments.ompcollect, "report", saved, "-o", file]]
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              env={**os.environ, "OMP_NUM_THREADS": "2"})
        if done.returncode != 0:
            sys.exit(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    run_of = json.loads(file.read_text())
    return [Profile(process, run_of["states"]) for process in run_of["processes"]]


def wrong_shares(times, shares):
    """What is not as expected of time in regions, in words."""
    all_time = sum(times.values())
    if all_time == 0:
        return ["no time in regions has been found"]
    found = []
    right = sum(times[place] for place in shares)
    if right < (1 - MOST_WRONG) * all_time:
        found.append(f"only {right / all_time:.1%} is below the lines that work")
    units = sum(shares.values())
    for place, own in shares.items():
        share = times[place] / all_time
        if abs(share - own / units) > MOST_OFF:
            found.append(f"{place} has {share:.1%} and should have {own / units:.1%}")
    return found


def has_path(profile, names):
    """Whether a node's path has these names in this order."""
    for number in range(len(profile.nodes)):
        left = list(names)
        for node in profile.path(number):
            if left and node["function"] == left[0]:
                left.pop(0)
        if not left:
            return True
    return False


def faults(profiles, script):
    """What is wrong, as lines of text."""
    shares, serial, paths = expected(script)
    found = []
    if shares:
        times = profiles[0].times(True)
        found += wrong_shares(times, shares)
    if serial:
        times = profiles[0].times(False)
        right = sum(times[place] for place in serial)
        if right < (1 - MOST_WRONG) * sum(times.values()):
            found.append(f"{right:.2f} s of {sum(times.values()):.2f} s serial time is at its lines: {times}")
    found += [f"no path {' > '.join(path)}" for path in paths if not has_path(profiles[0], path)]
    return found + extra_faults(profiles, script)


def extra_faults(profiles, script):
    """What single scripts promise besides."""
    if script.name == "forks.py":
        child = profiles[1].times(True) if len(profiles) > 1 else collections.Counter()
        if child["forks.py:8"] < (1 - MOST_WRONG) * sum(child.values()) or not child:
            return [f"the child's time is at {dict(child)}"]
    if script.name == "storm.py":
        regions = [p.times(True) for p in profiles]
        named = sum(sum(t.values()) - t[None] for t in regions)
        if named < (1 - MOST_WRONG) * sum(sum(t.values()) for t in regions):
            return [f"{regions}"]
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ompcollect", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--options", nargs="*", default=[])
    parser.add_argument("--more", nargs="*", default=[])
    parser.add_argument("script")
    arguments = parser.parse_args()
    script = FOLDER / arguments.script
    for turn in range(TRIES):
        with tempfile.TemporaryDirectory() as folder:
            found = faults(run(arguments, script, pathlib.Path(folder), arguments.more), script)
        if not found:
            return
        print(f"try {turn + 1}:", *found, sep="\n  ")
    sys.exit(1)


if __name__ == "__main__":
    main()
