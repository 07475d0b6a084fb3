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


def sampler():
    names = {"STATE": "STATE", "CURRENT_PRID": "CURRENT_PRID", "both_batch": "both in one batch"}
    by_request = {}
    for version in (14, 19):
        for where, request, _, time, of_ompt, _, count, count_of_ompt, _ in rows_of("requests", f"libomp {version}:")[1]:
            if where == "handler" and request in names:
                by_request.setdefault(names[request], []).extend(
                    [f"{time.split()[0]} / {of_ompt.split()[0]} ns", f"{count} / {count_of_ompt}"])
    return table(["request / OMPT's call", "libomp 14: time", "instructions", "libomp 19: time", "instructions"],
                 [[name, *cells] for name, cells in by_request.items()])


def states():
    head, rows = rows_of("states", "libomp 14:")
    return table(head, rows)


def events():
    head, rows = rows_of("events", "Instructions per passage, one thread, libomp 14:")
    columns = [head.index(name) for name in ("construct", "a", "b", "d", "e", "k", "f", "g", "d/b", "e/b", "k/c", "f/c")]
    return table(["construct", "no tool", "empty tool (b)", "loaded (d)", "FORK (e)", "default (k)", "bare (f)",
                  "floor (g)", "d/b", "e/b", "k/c", "f/c"], [[row[column] for column in columns] for row in rows])


def front():
    head, rows = rows_of("front", "libomp 14:")
    columns = [head.index(name) for name in ("construct", "instructions, e", "h", "ns per call")]
    return table(["construct", "without (e)", "with the front (h)", "ns per call"],
                 [[row[column] for column in columns] for row in rows if row[columns[-1]]])


def libgomp():
    def instructions(cell):
        return cell.split()[0]

    _, rows = rows_of("libgomp", "Each construct:")
    ratios = [[f"{instructions(cell)} / {cell.split('/')[1].strip()}" for cell in row[2:6] + row[7:]]
              for row in rows]
    return table(["construct", "libgomp", "no tool", "empty tool", "asking", "counting", "libomp 19", "empty tool",
                  "asking", "counting"],
                 [[row[0], instructions(row[1]), *cells[:4], instructions(row[6]), *cells[4:]]
                  for row, cells in zip(rows, ratios)])


def paths():
    forks_head, forks = rows_of("paths", "A FORK, libomp 14:")
    samples_head, samples = rows_of("paths", "A sample, libomp 14:")
    known_head, known = rows_of("paths", "Programs:")
    part_head, parts = rows_of("paths", "What it takes from them:")
    return "\n\n".join(["A FORK:", table(forks_head, forks), "A sample:", table(samples_head, samples),
                        "Programs of Debian:", table(known_head, known),
                        "What `ompcollect` takes from them, at 97 samples a second:", table(part_head, parts)])


def overhead():
    head, rows = rows_of("overhead", None)
    return table(head, rows)


def programs():
    head, rows = rows_of("programs", None)
    return table(head, rows)


def document():
    text = (FOLDER / "templates" / "performance.md.in").read_text()
    for place, rows in (("@sampler@", sampler), ("@states@", states), ("@events@", events), ("@front@", front),
                        ("@libgomp@", libgomp), ("@programs@", programs), ("@paths@", paths), ("@overhead@", overhead)):
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
