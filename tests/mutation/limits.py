# SPDX-License-Identifier: Apache-2.0
"""limits.py BUILD - whether the tests notice each limit of the verdict, moved by a factor of two.

A row of compat/ompcollect/analysis/verdict_limits.cpp names the tests that stand on its two sides. They run
with the limit as it is, doubled and halved (moved_limits.cpp): first they pass, then one fails.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

from mutants import TOP, compile_command, link, outcome

TABLE = TOP / "compat/ompcollect/analysis/verdict_limits.cpp"


def rows():
    """(name, filter of tests), in the order of the table."""
    found = []
    for row in re.findall(r"\{Limit::k\w+,(.*?)\},\n", TABLE.read_text(), re.DOTALL):
        texts = re.findall(r'"((?:[^"\\]|\\.)*)"', row)
        found.append((texts[0], texts[-1]))
    return found


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    folder = build / "mutation" / "limits"
    folder.mkdir(parents=True, exist_ok=True)
    command, where = compile_command(build, TABLE)
    made = folder / "moved_limits.o"
    subprocess.run([*command, f"-I{TABLE.parent}", "-c", "-o", str(made), str(TOP / "tests/mutation/moved_limits.cpp")],
                   cwd=where, check=True)
    program = link(build, "report-tests", made, folder)
    asked = [(tests, number, words, wanted) for at, (name, tests) in enumerate(rows())
             for number, words, wanted in ((0, f"{name}: as it is", "passes"), (2 * at + 1, f"{name}: doubled", "fails"),
                                           (2 * at + 2, f"{name}: halved", "fails"))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda row: outcome(program, row[0], row[1], 60, folder), asked))
    wrong = [(words, how) for (_, _, words, wanted), how in zip(asked, found) if how != wanted]
    for words, how in wrong:
        print(f"{words}: its tests: {how}")
    print(f"{len(asked) - len(wrong)} of {len(asked)} as they should be, {len(rows())} limits")
    return 1 if wrong or not asked else 0


if __name__ == "__main__":
    sys.exit(main())
