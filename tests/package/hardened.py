# SPDX-License-Identifier: Apache-2.0
"""hardened.py FOLDER... - of what was built with OCB_HARDEN and installed below each FOLDER, hardening-check
(Debian: devscripts) has nothing to complain of but the rows below, each with its reason. A row that
excuses nothing is an error, too."""
import fnmatch
import pathlib
import subprocess
import sys

NO_ARRAYS = "no function has an array on the stack"
NONE_CHECKED = "its copies have constant sizes, and glibc checks no snprintf() of clang's C++"
UNDER_TEST = "a program under test, compiled without optimisation as its users do"
EXCUSED = [  # file, row of hardening-check, why
    ("*", "Control flow integrity", "Debian's start files (crti.o) have no mark, so the linker leaves it out"),
    ("libopenmp.so*", "Stack protected", NO_ARRAYS),
    ("libTAU-gomp.so", "Stack protected", NO_ARRAYS),
    ("libompcollect-preload.so", "Fortify Source functions", NONE_CHECKED),
    ("ompt-compliance-workload*", "Stack protected", UNDER_TEST),
    ("ompt-compliance-workload*", "Fortify Source functions", UNDER_TEST),
    ("ompt-compliance-workload*", "Immediate binding", UNDER_TEST),
]


def complaints(file):
    """Rows with "no"; a shared library is no executable, which the tool reports and ignores."""
    report = subprocess.run(["hardening-check", file], capture_output=True, text=True).stdout
    rows = [line.strip().split(": ", 1) for line in report.splitlines() if line.startswith(" ")]
    if not rows:
        raise SystemExit(f"{file}: hardening-check has no rows")
    return [name for name, found in rows if found.startswith("no") and "ignored" not in found]


def programs_and_libraries(folder):
    files = [file for file in sorted(folder.rglob("*"))
             if file.is_file() and not file.is_symlink() and file.read_bytes()[:4] == b"\x7fELF"]
    if len(files) < 10:
        raise SystemExit(f"only {len(files)} programs and libraries in {folder}")
    return files


def main(folders):
    used, failed = set(), False
    for file in (file for folder in folders for file in programs_and_libraries(folder)):
        for row in complaints(file):
            excuse = next((e for e in EXCUSED if fnmatch.fnmatch(file.name, e[0]) and e[1] == row), None)
            if excuse is None:
                print(f"{file}: {row}: no")
                failed = True
            used.add(excuse)
    for excuse in EXCUSED:
        if excuse not in used:
            print(f"excuses nothing: {excuse}")
            failed = True
    return 1 if failed else 0


sys.exit(main([pathlib.Path(name) for name in sys.argv[1:]]))
