# SPDX-License-Identifier: Apache-2.0
"""structure.py [FOLDER] - how the sources lie and who includes whom (ARCHITECTURE.md).

Run on the sources that FOLDER holds (default: this project's), it prints one line for each breach
and exits with 1 if there is one:
  folder   includes go downwards only: a folder includes itself and what its row below names
  circle   units do not include each other in a circle; a unit is x.h with x.cpp
  place    a quoted include leads to a file of the project
  size     a folder has at most 25 source files (of tests: files), a file 500 lines, a function 60
  record   the backend goes through tracker.h: a thread's record is not its matter
To see it fail: structure_test.py plants what it must find.
"""
import functools
import os
import re
import sys

MOST_FILES = 25
MOST_LINES = 500
MOST_LINES_OF_FUNCTION = 60

# folder: what it may include besides itself. A new folder is a new row.
FOLDERS = """
include:
collector-bridge:          include collector-bridge/base
collector-bridge/base:     include
collector-bridge/records:  include collector-bridge collector-bridge/base
collector-bridge/events:   include collector-bridge collector-bridge/base collector-bridge/records
collector-bridge/tracker:  include collector-bridge collector-bridge/base collector-bridge/records collector-bridge/events
collector-bridge/requests: include collector-bridge collector-bridge/base collector-bridge/records collector-bridge/events collector-bridge/tracker

ompt-backend/spec:
ompt-backend:            include collector-bridge collector-bridge/base
ompt-backend/attachment: include collector-bridge collector-bridge/base collector-bridge/tracker ompt-backend ompt-backend/spec
ompt-backend/ompt5:      include collector-bridge collector-bridge/base collector-bridge/tracker ompt-backend ompt-backend/spec ompt-backend/attachment
ompt-backend/tr6:        include collector-bridge collector-bridge/base collector-bridge/tracker ompt-backend ompt-backend/spec ompt-backend/attachment ompt-backend/ompt5
ompt-backend/tr2:        include collector-bridge collector-bridge/base collector-bridge/tracker ompt-backend ompt-backend/spec ompt-backend/attachment ompt-backend/ompt5
ompt-backend/entry:      include collector-bridge collector-bridge/base collector-bridge/tracker ompt-backend ompt-backend/spec ompt-backend/attachment ompt-backend/ompt5 ompt-backend/tr6 ompt-backend/tr2

compat/examples:        include
compat/names:           include
compat/front:           include
compat/slurm:
compat/libgomp-ompt:
compat/libgomp-ompt/runtime:    compat/libgomp-ompt collector-bridge/base ompt-backend/spec compat/front
compat/libgomp-ompt/records:    include compat/libgomp-ompt/runtime compat/libgomp-ompt
compat/libgomp-ompt/constructs: compat/libgomp-ompt/records compat/libgomp-ompt/runtime compat/libgomp-ompt
compat/libgomp-ompt/tool:       compat/libgomp-ompt/constructs compat/libgomp-ompt/records compat/libgomp-ompt/runtime compat/libgomp-ompt compat/front
compat/ompt-compliance/tool:   ompt-backend/spec
compat/ompt-compliance/checks: ompt-backend/spec compat/ompt-compliance/tool
compat/ompt-compliance:        include compat/ompcollect/base compat/ompcollect/platform compat/ompt-compliance/checks compat/ompt-compliance/tool

compat/ompcollect/demo:
compat/ompcollect/placement:
compat/ompcollect/profile:   include
compat/ompcollect/preload:   include collector-bridge/base compat/ompcollect/profile
compat/ompcollect/collector/system:      include collector-bridge/base compat/ompcollect/profile compat/ompcollect/preload
compat/ompcollect/collector/store:       include collector-bridge/base compat/ompcollect/profile compat/ompcollect/preload compat/ompcollect/collector/system
compat/ompcollect/collector/python:      include collector-bridge/base compat/ompcollect/profile compat/ompcollect/preload compat/ompcollect/collector/system compat/ompcollect/collector/store
compat/ompcollect/collector/threads:     include collector-bridge/base compat/ompcollect/profile compat/ompcollect/preload compat/ompcollect/collector/system compat/ompcollect/collector/store compat/ompcollect/collector/python
compat/ompcollect/collector/stacks:      include collector-bridge/base compat/ompcollect/profile compat/ompcollect/preload compat/ompcollect/collector/system compat/ompcollect/collector/store compat/ompcollect/collector/python compat/ompcollect/collector/threads
compat/ompcollect/collector/regions:     include collector-bridge/base compat/ompcollect/profile compat/ompcollect/preload compat/ompcollect/collector/system compat/ompcollect/collector/store compat/ompcollect/collector/python compat/ompcollect/collector/threads compat/ompcollect/collector/stacks
compat/ompcollect/collector/sampling:    include collector-bridge/base compat/ompcollect/profile compat/ompcollect/preload compat/ompcollect/collector/system compat/ompcollect/collector/store compat/ompcollect/collector/python compat/ompcollect/collector/threads compat/ompcollect/collector/stacks compat/ompcollect/collector/regions
compat/ompcollect/collector/session:     include collector-bridge/base compat/ompcollect/profile compat/ompcollect/preload compat/ompcollect/collector/system compat/ompcollect/collector/store compat/ompcollect/collector/python compat/ompcollect/collector/threads compat/ompcollect/collector/stacks compat/ompcollect/collector/regions compat/ompcollect/collector/sampling
compat/ompcollect/base:      compat/ompcollect/profile
compat/ompcollect/model:     include compat/ompcollect/profile compat/ompcollect/base
compat/ompcollect/analysis:  include compat/ompcollect/profile compat/ompcollect/base compat/ompcollect/model
compat/ompcollect/screen:    include compat/ompcollect/profile compat/ompcollect/base compat/ompcollect/model compat/ompcollect/analysis
compat/ompcollect/platform:  include compat/ompcollect/base
compat/ompcollect/symbols:   compat/ompcollect/base compat/ompcollect/model
compat/ompcollect/formats:   include compat/ompcollect/profile compat/ompcollect/base compat/ompcollect/model compat/ompcollect/analysis compat/ompcollect/screen compat/ompcollect/platform
compat/ompcollect/formats/viewers: include compat/ompcollect/profile compat/ompcollect/base compat/ompcollect/model compat/ompcollect/analysis compat/ompcollect/screen compat/ompcollect/platform compat/ompcollect/formats
compat/ompcollect/job:       include compat/ompcollect/profile compat/ompcollect/base compat/ompcollect/model compat/ompcollect/analysis compat/ompcollect/screen compat/ompcollect/formats
compat/ompcollect/job/mpi:
compat/ompcollect/scale:     include compat/ompcollect/profile compat/ompcollect/base compat/ompcollect/model compat/ompcollect/analysis compat/ompcollect/screen
compat/ompcollect/diff:      include compat/ompcollect/profile compat/ompcollect/base compat/ompcollect/model compat/ompcollect/analysis compat/ompcollect/screen compat/ompcollect/formats compat/ompcollect/job
compat/ompcollect/view:      include compat/ompcollect/profile compat/ompcollect/base compat/ompcollect/model compat/ompcollect/analysis compat/ompcollect/screen
compat/ompcollect/command:   compat/ompcollect/profile compat/ompcollect/platform compat/ompcollect/job/mpi compat/ompcollect/base compat/ompcollect/model compat/ompcollect/analysis compat/ompcollect/screen compat/ompcollect/formats compat/ompcollect/job compat/ompcollect/diff compat/ompcollect/scale compat/ompcollect/view
compat/ompcollect/launcher:  include compat/ompcollect/profile compat/ompcollect/base compat/ompcollect/model compat/ompcollect/screen compat/ompcollect/platform compat/ompcollect/symbols compat/ompcollect/formats compat/ompcollect/job compat/ompcollect/command
"""

# Where a name is looked for behind the folder of the file: what the build names for all, and for
# the profiler's files any folder of compat/, those that the row names first.
ROOTS = ["collector-bridge", "ompt-backend", "include", "."]

SOURCE = re.compile(r"\.(h|hpp|c|cpp|inc|S)$")
SCRIPT = re.compile(r"\.(py|sh|f90|js|R)$")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]')
RECORD = re.compile(r"own_record|ThreadRecord|ImplicitTask")

breaches = []


def breach(where, text):
    breaches.append(f"{where}: {text}")


def rows(text):
    """{folder: set of folders} of the table."""
    table = {}
    for line in text.split("\n"):
        if line.strip():
            folder, below = line.split(":")
            table[folder] = below.split()
    return table


def all_files():
    """All files below the top, but for what a build or python makes and what is hidden."""
    found = []
    for folder, below, files in os.walk("."):
        below[:] = sorted(b for b in below if b not in ("build", "__pycache__") and not b.startswith("."))
        folder = os.path.relpath(folder, ".")
        found += [os.path.normpath(f"{folder}/{f}") for f in sorted(files) if not f.startswith(".")]
    return found


@functools.cache
def lines_as_of(file, _changed, _size):
    with open(file, encoding="utf-8") as opened:
        return tuple(opened.read().split("\n"))


def lines_of(file):
    """Read once, where a process looks at the sources again (structure_test.py)."""
    status = os.stat(file)
    return lines_as_of(os.path.abspath(file), status.st_mtime_ns, status.st_size)


def is_library(file):
    return file.split("/")[0] in ("include", "collector-bridge", "ompt-backend", "compat")


def place(name, file, allowed, files):
    """The project's file that `#include name` in `file` leads to, or None."""
    folder = os.path.dirname(file)
    looked = [folder] + ROOTS
    if folder.startswith("compat/"):
        looked += allowed.get(folder, []) + sorted(f for f in allowed if f.startswith("compat/"))
    for where in looked:
        path = os.path.normpath(f"{where}/{name}")
        if path in files:
            return path
    return None


def check_includes(files, allowed):
    """Checks each arrow; the arrows between units."""
    known = set(files)
    arrows = {}
    for file in filter(is_library, files):
        above = os.path.dirname(file)
        if above not in allowed:
            breach(file, f"{above} has no row in the table of folders")
            continue
        for number, line in enumerate(lines_of(file), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            where = f"{file}:{number}"
            to = place(match[2], file, allowed, known)
            if to is None:
                if match[1] == '"':
                    breach(where, f"no file of the project is \"{match[2]}\"")
                continue
            below = os.path.dirname(to)
            if below != above and below not in allowed[above]:
                breach(where, f"{above} may not include {below}")
            arrows.setdefault(unit(file), set()).add(unit(to))
    return arrows


def unit(file):
    return SOURCE.sub("", file)


def reached(start, arrows):
    seen, open_units = set(), [start]
    while open_units:
        for to in arrows.get(open_units.pop(), ()):
            if to not in seen:
                seen.add(to)
                open_units.append(to)
    return seen


def check_circles(arrows):
    behind = {one: reached(one, arrows) - {one} for one in arrows}
    circles = set()
    for one, far in behind.items():
        circle = {one} | {other for other in far if one in behind.get(other, ())}
        if len(circle) > 1:
            circles.add(" ".join(sorted(circle)))
    for circle in sorted(circles):
        breach("circle of units", circle)


@functools.cache
def function_sizes(lines):
    """(name, size) of each function that begins in the first column, as clang-format has it."""
    sizes = []
    begin = None
    for number, line in enumerate(lines, 1):
        if re.match(r"[A-Za-z_~].*", line) and not line.startswith(("namespace", "}", "using")):
            begin = number if begin is None or "(" in line else begin
        if line == "}" and begin is not None:
            name = re.search(r"([\w:~]+)\(", lines[begin - 1])
            sizes.append((name[1] if name else f"line {begin}", number - begin + 1))
            begin = None
        elif line.startswith("}") or line.endswith(";") and not line.startswith((" ", "\t")):
            begin = None
    return sizes


def is_test(file):
    return file.startswith("tests/")


def check_sizes(files):
    count = {}
    for file in files:
        is_source = SOURCE.search(file)
        if is_test(file) or is_source and is_library(file):
            folder = os.path.dirname(file)
            count[folder] = count.get(folder, 0) + 1
        if is_test(file) and SCRIPT.search(file) or is_source and (is_library(file) or is_test(file)):
            check_lines(file, lines_of(file))
    for folder, files_in_it in sorted(count.items()):
        if files_in_it > MOST_FILES:
            breach(folder, f"{files_in_it} {'' if is_test(folder + '/') else 'source '}files, at most {MOST_FILES}")


def check_lines(file, lines):
    if len(lines) - 1 > MOST_LINES:
        breach(file, f"{len(lines) - 1} lines, at most {MOST_LINES}")
    for name, size in function_sizes(lines) if SOURCE.search(file) else ():
        if size > MOST_LINES_OF_FUNCTION:
            breach(f"{file}:{name}", f"a function of {size} lines, at most {MOST_LINES_OF_FUNCTION}")


def check_records(files):
    for file in files:
        if file.startswith("ompt-backend/"):
            for number, line in enumerate(lines_of(file), 1):
                if RECORD.search(line):
                    breach(f"{file}:{number}", "ompt-backend/ may not touch a thread's record")


def breaches_in(top):
    os.chdir(top)
    breaches.clear()
    everything = all_files()
    files = list(filter(SOURCE.search, everything))
    if not any(map(is_library, files)) or not any(map(is_test, files)):
        sys.exit("nothing to check")
    check_circles(check_includes(files, rows(FOLDERS)))
    check_sizes(everything)
    check_records(files)
    return breaches


def main():
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    found = breaches_in(sys.argv[1] if len(sys.argv) > 1 else top)
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
