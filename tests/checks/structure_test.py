# SPDX-License-Identifier: Apache-2.0
"""structure_test.py - plants in a copy of the sources what structure.py must find, one at a time."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import structure

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
CORE = "collector-bridge"
PROFILER = "compat/ompcollect"

# {file of the copy: a line at its end}, and a part of what the check then prints.
PLANTED = [
    ({f"{CORE}/records/region.h": '#include "tracker/tracker.h"'}, "may not include"),
    ({f"{CORE}/records/region.h": "#include <tracker/tracker.h>"}, "may not include"),
    ({f"{CORE}/records/region.h": '# include "tracker/tracker.h"'}, "may not include"),
    ({f"{CORE}/records/region.h": '  #  include "tracker/tracker.h"'}, "may not include"),
    ({f"{CORE}/base/pool.h": '#include "up.inc"', f"{CORE}/base/up.inc": '#include "tracker/tracker.h"'},
     "may not include"),
    ({f"{PROFILER}/**/store.cpp": '#include "../../../collector-bridge/tracker/tracker.h"'}, "may not include"),
    ({f"{PROFILER}/**/run.h": '#include "job_reports.h"'}, "circle|may not include"),
    ({f"{PROFILER}/**/profile_file.h": '#include "run.h"'}, "may not include"),
    ({f"{PROFILER}/**/clocks.h": '#include "sampling_thread.h"'}, "circle|may not include"),
    ({"ompt-backend/ompt5/entry_points.h": '#include "tr2/adapter.h"'}, "may not include"),
    ({"ompt-backend/tr6/adapter.h": '#include "entry/forecast.h"'}, "may not include"),
    # Two units of one folder; a header alone has no circle there.
    ({f"{CORE}/records/region.cpp": '#include "records/own_regions.h"'}, "circle"),
    ({f"{CORE}/base/pool.h": '#include "nowhere.h"'}, "no file of the project"),
    ({f"{CORE}/new/new.h": "int new_folder;"}, "has no row"),
    ({"ompt-backend/tr6/adapter.cpp": "// ThreadRecord"}, "may not touch"),
    ({f"{CORE}/base/pool.h": "\n" * 500}, "lines, at most 500"),
    ({f"{CORE}/base/lock.cpp": "void f() {\n" + "    g();\n" * 60 + "}"}, "a function of 62 lines"),
    ({f"{CORE}/events/n{n}.h": "" for n in range(25)}, "source files, at most 25"),
    ({"tests/unit/idle_test.cpp": "\n" * 500}, "lines, at most 500"),
    ({"tests/checks/tidy.py": "\n" * 500}, "lines, at most 500"),
    ({"tests/unit/lock_test.cpp": "void f() {\n" + "    g();\n" * 60 + "}"}, "a function of 62 lines"),
    ({"tests/loading/lock_test.cpp": "TEST(A, B) {\n" + "    g();\n" * 60 + "}"}, "a function of 62 lines"),
    ({f"tests/unit/session/n{n}.txt": "" for n in range(25)}, "tests/unit/session: [0-9]* files, at most 25"),
]


def path_in(top, name):
    """`folder/**/file`: the one file of that name somewhere below the folder."""
    if "/**/" not in name:
        return os.path.join(top, name)
    folder, file = name.split("/**/")
    found = [f"{at}/{file}" for at, _, files in os.walk(f"{top}/{folder}") if file in files]
    assert len(found) == 1, (name, found)
    return found[0]


def plant(top, lines):
    """What to write back afterwards: {path: text, or None for a new file}."""
    before = {}
    for name, line in lines.items():
        path = path_in(top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        before[path] = open(path, encoding="utf-8").read() if os.path.exists(path) else None
        with open(path, "a", encoding="utf-8") as file:
            file.write(line + "\n")
    return before


def take_out(before):
    for path, text in before.items():
        if text is None:
            os.remove(path)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        top = f"{folder}/sources"
        shutil.copytree(TOP, top, symlinks=True, ignore=shutil.ignore_patterns("build", ".*"))
        found = structure.breaches_in(top)
        if found:
            sys.exit("the sources as they are:\n" + "\n".join(found))
        for lines, expected in PLANTED:
            before = plant(top, lines)
            text = "\n".join(structure.breaches_in(top))
            if not re.search(expected, text):
                failures += 1
                print(f"not found ({expected}): {lines}\n{text}")
            take_out(before)
        # As the check is run.
        before = plant(top, PLANTED[0][0])
        command = [sys.executable, "-B", structure.__file__, top]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        take_out(before)
        if run.returncode != 1 or PLANTED[0][1] not in run.stdout:
            failures += 1
            print(f"the command ends with {run.returncode}:\n{run.stdout}{run.stderr}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
