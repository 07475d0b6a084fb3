# SPDX-License-Identifier: Apache-2.0
"""gate.py OMPCOLLECT CC PAIRS [RUNS] - how often `ompcollect diff --fail-if` is wrong. Compares pairs of
sets of RUNS (5 if not given) runs, which alternate: PAIRS of the same program, and PAIRS in which the
second one takes 10 % longer (a fifth more of what is half of the time). Prints a row for each rule
and kind of pair: in how many it was broken, held, not decided. 100 pairs take some fifteen minutes.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

OMPCOLLECT, CC, PAIRS = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3])
RUNS = int(sys.argv[4]) if len(sys.argv) > 4 else 5
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "diff", "programs", "compared.c")
STEPS = "100"  # some 0.3 s
RULES = ("elapsed > +5%", "processor > +5%")


def run(words, folder, codes=(0,)):
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          env={"OMP_NUM_THREADS": "2", **os.environ})
    if done.returncode not in codes:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def rulings(folder, after):
    """{rule: "broken", "held" or "not decidable"} of one pair."""
    files = ([], [])
    for i in range(RUNS):
        for side, program in enumerate(("base", after)):
            files[side].append(f"{side}-{i}.ompc")
            run([OMPCOLLECT, "-o", files[side][-1], "--", f"./{program}", STEPS], folder)
    rules = [word for rule in RULES for word in ("--fail-if", rule)]
    out = run([OMPCOLLECT, "diff", "-f", "json", *rules, *files[0], "--", *files[1]], folder, (0, 1, 3))
    return {each["rule"]: each["holds"] for each in json.loads(out)["rules"]}


def main():
    counts = collections.Counter()
    kinds = {"the same": "base", "10 % slower": "slower"}
    with tempfile.TemporaryDirectory() as folder:
        for name, more in (("base", "-DSLOWER=0"), ("slower", "-DSLOWER=20")):
            run([CC, "-O2", "-g", "-fopenmp", more, SOURCE, "-o", name], folder)
        for _ in range(PAIRS):
            for kind, program in kinds.items():
                for rule, holds in rulings(folder, program).items():
                    counts[kind, rule, holds] += 1
    print("| pairs | rule | broken | held | not decidable |\n|---|---|---|---|---|")
    for kind in kinds:
        for rule in RULES:
            print(f"| {PAIRS}, {kind} | `{rule}` |" + "".join(f" {counts[kind, rule, holds]} |" for holds in ("broken", "held", "not decidable")))


main()
