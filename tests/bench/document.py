# SPDX-License-Identifier: Apache-2.0
"""Writes the documents of the benchmarks from their templates (tests/bench/templates/).

  write_results(name, tables)  tests/bench/results/NAME.md: measured tables and their text
  document()                   the text of docs/PERFORMANCE.md: the rows of those results that
                               answer a user's question
Called as a program it writes docs/PERFORMANCE.md anew; with --check it only compares, and exits
with 1 where the document is not what template and results make.
"""
import pathlib
import sys

FOLDER = pathlib.Path("tests/bench")
DOCUMENT = pathlib.Path("docs/PERFORMANCE.md")

# What the page shows of the results; the results have all.
STATES_LEFT_OUT = ("lock", "in a callback", "serial since before START", "idle since before START",
                   "at work, in a program with tasks")
CONSTRUCTS = ("parallel", "barrier", "single", "master", "critical", "lock", "ordered", "task", "taskwait")
PROGRAMS_LEFT_OUT = ("BOTS sort, gcc", "BOTS sort, clang", "BOTS sparselu, gcc", "clustalo, 45 sequences", "CP2K, water, 7 steps",
                     "a million empty regions, clang", "a million empty regions, gcc", "128 passive threads, clang", "128 passive threads, gcc")
OF_LIBGOMP = ("parallel", "barrier", "single", "lock", "task")


def write_results(name, tables):
    template = (FOLDER / "templates" / f"{name}.md.in").read_text()
    (FOLDER / "results" / f"{name}.md").write_text(template.replace("@table@", tables))


def rows_of(name, title):
    """The rows of the table that follows the line `title`, each a list of its cells."""
    lines = (FOLDER / "results" / f"{name}.md").read_text().splitlines()
    start = lines.index(title) + 2 if title else next(n for n, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows[0], rows[2:]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def states():
    """STATE and CURRENT_PRID in both measures; what a row says twice is left out."""
    counts = {row[0]: row for row in rows_of("states", "libomp 14:")[1]}
    times = {row[0]: row for row in rows_of("states", "libomp 14, the shortest of many rounds, in ns:")[1]}
    return table(["the thread is", "STATE: instructions", "ns", "ratio", "CURRENT_PRID: instructions", "ns", "ratio"],
                 [[state.replace("in a program with", "among"), counts[state][1], *times[state][1:3], counts[state][3],
                   *times[state][3:5]] for state in counts if state not in STATES_LEFT_OUT])


def events():
    head, rows = rows_of("events", "Instructions per passage, one thread, libomp 14:")
    columns = [head.index(name) for name in ("construct", "a", "b", "c", "k", "k/c", "o", "o/c")]
    return table(["construct", "no tool", "empty tool", "counting tool", "collector", "collector / counting", "`ompcollect`", "`ompcollect` / counting"],
                 [[row[column] for column in columns] for row in rows if row[0] in CONSTRUCTS])


def libgomp():
    def cell_of(cell):
        return f"{cell.split()[0]} / {cell.split('/')[1].strip()}"

    _, rows = rows_of("libgomp", "Each construct:")
    return table(["construct", "libgomp", "no tool", "empty tool", "asking", "counting", "libomp 19", "counting"],
                 [[row[0], row[1].split()[0], *map(cell_of, row[2:6]), row[6].split()[0], cell_of(row[-1])]
                  for row in rows if row[0] in OF_LIBGOMP])


def paths():
    head, rows = rows_of("paths", "What it takes from them:")
    return table(head, rows)


def programs():
    head, rows = rows_of("programs", None)
    return table(head, [row for row in rows if row[0] not in PROGRAMS_LEFT_OUT])


def document():
    text = (FOLDER / "templates" / "performance.md.in").read_text()
    for place, rows in (("@states@", states), ("@events@", events),
                        ("@libgomp@", libgomp), ("@programs@", programs), ("@paths@", paths)):
        text = text.replace(place, rows())
    return text


def main(arguments):
    if arguments != ["--check"]:
        DOCUMENT.write_text(document())
    elif DOCUMENT.read_text() != document():
        print(f"{DOCUMENT} is not what tests/bench/templates/performance.md.in and the results make; "
              "python3 tests/bench/document.py writes it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
