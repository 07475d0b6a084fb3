# SPDX-License-Identifier: Apache-2.0
"""tidy.py BUILD_FOLDER PART - clang-tidy 14 with the .clang-tidy of this project over the C and C++
sources that the build compiles; any warning is an error, clang's own ones too. Options of gcc alone
are let pass. PART is `loaded`, what is loaded into programs, or `tools` or `tests`, which are of the
long form.

Most of the time of a file goes into its headers. So C++ files are looked at in one text, one behind
the other, where they have the same .clang-tidy, commands that mean the same to a reader (macros of
the project and folders of headers may differ) and no name twice. Where such a text has a warning,
its halves are looked at, then theirs: a file by itself alone decides.

A file that was clean has a stamp, BUILD_FOLDER/tidy/stamps/KEY. The key stands for all that the
result depends on: the compile command, the contents of the file and of all that it includes
(ninja's record of the last build), every .clang-tidy, this program and clang-tidy's version. A file
that the record does not know is always looked at. Only clean files get stamps.

The plain command looks at what is loaded into a traced program and was changed since the branch left
main (on main: by its last commits), without the analyzer and two more checks. A changed header is
looked at in one file that includes it. With OCB_TEST_LONG=1 every file is looked at by itself, so
that it must include what it uses, with all checks of its .clang-tidy.

Programs of tests are compiled by commands of their own, some by gcc alone. They have their braces
looked at and no more.
"""
import concurrent.futures
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

TIDY = "clang-tidy-14"
# Large pages save an eighth of clang's time, most of which goes into memory that it takes anew.
QUIET_TIDY = ["env", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1", "nice", "-n", "19", TIDY, "--quiet"]
TOP = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ("collector-bridge", "ompt-backend", "compat", "tests")
IS_LONG = bool(os.environ.get("OCB_TEST_LONG"))
MOST_FILES_OF_A_TEXT = 1 if IS_LONG else 24
STAMP_DAYS = 30
LAST_COMMITS = 30
# The words of a command that concern the code to be made, not what is read.
GENERATION = re.compile(r"-O\d|-g\d?|-fPI[CE]|-fvisibility=.*|-ftls-model=.*|-fno-omit-frame-pointer"
                        r"|-fno-optimize-sibling-calls|--param=.*|-fasynchronous-unwind-tables|-fno-sanitize=all")
# The analyzer follows paths, which is half of the time of what is loaded into programs. The other two
# take a sixth of the rest, for what the C++ of that code has not.
LEFT_TO_THE_LONG_FORM = "-clang-analyzer-*,-bugprone-use-after-move,-bugprone-stringview-nullptr"


@dataclasses.dataclass
class Unit:
    """A file as one compile command of the build sees it."""

    file: pathlib.Path
    object: str
    arguments: list  # without output, input and precompiled headers
    stamp: pathlib.Path = None  # None: the build's record does not know the file

    def is_clean(self):
        return self.stamp is not None and self.stamp.exists()


def plain_arguments(words):
    """A compile command's words without what names this one object, and without gcc's own."""
    kept = []
    words = iter(words)
    for word in words:
        if word in ("-o", "-MF", "-MT", "-c", "-include", "-include-pch"):
            next(words)
        elif word == "-Xclang" or word in ("-MD", "-Winvalid-pch"):
            pass  # -Xclang is there for precompiled headers only
        elif not re.fullmatch(r"-D\w+_EXPORTS", word):
            kept.append(word)
    return kept


def commands_of(build):
    """Each file with each entry that compiles it: by itself, or in a batch (OCB_JOIN_SOURCES)."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        if file.parent.name == "Unity":
            for joined in re.findall(r'^#include "(/.*)"$', file.read_text(), re.M):
                yield pathlib.Path(joined), entry
        elif file.suffix != ".S" and build not in file.parents:
            yield file, entry


def units_of(build):
    """Each file once, or once for each set of macros where it has conditions."""
    seen = set()
    for file, entry in commands_of(build):
        if TOP not in file.parents:
            continue
        words = shlex.split(entry["command"])
        first = next(n for n, word in enumerate(words) if word.startswith("-"))
        has_conditions = re.search(r"^ *# *if", file.read_text(), re.M)
        arguments = plain_arguments(words[first:])
        macros = [word for word in arguments if word.startswith("-D")] if has_conditions else []
        if (file, *macros) not in seen:
            seen.add((file, *macros))
            yield Unit(file, words[words.index("-o") + 1], arguments)


def includes_of(build):
    """Of each object the files that went into it, by ninja's record of the last build."""
    record = subprocess.run(["ninja", "-t", "deps"], cwd=build, check=True, capture_output=True, text=True)
    includes, current = {}, []
    for line in record.stdout.splitlines():
        if line.startswith("    "):
            current.append(line.strip())
        elif ": #deps" in line:
            current = includes.setdefault(line.split(":")[0], [])
    return includes


def configurations():
    tops = [TOP / ".clang-tidy"]
    return tops + sorted(path for name in SOURCES for path in (TOP / name).rglob(".clang-tidy"))


def git(*words):
    run = subprocess.run(["git", *words], cwd=TOP, capture_output=True, text=True, check=False)
    return run.stdout.split("\n")[:-1] if run.returncode == 0 else []


def changed_files():
    """None: that is not known, as in an archive or a clone of one commit."""
    head, first = git("rev-parse", "HEAD"), git("rev-parse", f"HEAD~{LAST_COMMITS}")
    left_main = [base for name in ("main", "origin/main") for base in git("merge-base", name, "HEAD")]
    base = next((base for base in left_main if [base] != head), next(iter(first), None))
    if base is None:
        return None
    listed = git("diff", "--name-only", base) + git("ls-files", "--others", "--exclude-standard")
    return {TOP / name for name in listed}


def changed_units(units):
    """The changed files, and for each changed header one that includes it."""
    changed = changed_files()
    if IS_LONG or changed is None:
        return units
    headers = {path.name for path in changed if path.suffix == ".h"}
    chosen = [unit for unit in units if unit.file in changed]
    for unit in chosen + [unit for unit in units if unit.file not in changed]:
        found = headers.intersection(re.findall(r'^ *# *include "(?:.*/)?(.*?)"', with_headers(unit.file), re.M))
        headers -= found
        if found and unit not in chosen:
            chosen.append(unit)
    return chosen


def give_stamps(units, build):
    rules = hashlib.sha256(subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout)
    rules.update(str(IS_LONG).encode())
    for path in [*configurations(), pathlib.Path(__file__)]:
        rules.update(path.read_bytes())
    includes, hashes = includes_of(build), {}

    def hash_of(name):
        if name not in hashes:
            path = build / name
            hashes[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None
        return hashes[name]

    (build / "tidy/stamps").mkdir(parents=True, exist_ok=True)
    for unit in units:
        parts = [name for name in includes.get(unit.object, []) if not re.search(r"\.[gp]ch$", name)]
        if parts and all(hash_of(name) for name in parts):
            key = rules.copy()
            key.update("\n".join([str(unit.file), *unit.arguments, *map(hash_of, parts)]).encode())
            unit.stamp = build / "tidy/stamps" / key.hexdigest()


# What stands at the beginning of a line and defines a name of the file's own. A name that this
# misses costs time, no more: the text that has it twice does not compile.
DEFINITIONS = [
    re.compile(r"^ *# *define (\w+)"),
    re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST|INSTANTIATE_TEST_SUITE_P)\((\w+, *\w+)"),
    re.compile(r"^(?:struct|class|union|enum(?: class)?|using(?! namespace)) (\w+)\b(?!;)"),
    re.compile(r"^(?!using |namespace )[\w\[][\w:<>,*&\[\]\" ]*?[ *&](\w+)(?:\[\w*\])*(?:\(| = |\{|;|,)"),
]


USING = re.compile(r"^using ([\w:]+::(\w+));", re.M)


def names_of(unit):
    """Each name that the file defines, with what it means: `using` may mean the same in two files."""
    names = {}
    for line in unit.file.read_text().splitlines():
        found = (pattern.match(line) for pattern in DEFINITIONS)
        names.update((match.group(1), unit.object) for match in found if match)
    names.update((match.group(2), match.group(1)) for match in USING.finditer(with_headers(unit.file)))
    for name in ("PrintTo", "_GNU_SOURCE"):  # one for each type; the same in each file
        names.pop(name, None)
    return names


@functools.cache
def with_headers(file):
    """The file's text and that of the headers beside it."""
    text = file.read_text()
    headers = (file.parent / name for name in re.findall(r'^ *# *include "(.*?)"', text, re.M))
    return text + "".join(header.read_text() for header in headers if header.exists())


def part_of(unit):
    """What is loaded into a traced program is C or compiled without exceptions."""
    if TOP / "tests" in unit.file.parents:
        return "tests"
    return "loaded" if unit.file.suffix == ".c" or "-fno-exceptions" in unit.arguments else "tools"


def is_macro(word):
    """Defined by the project. The others, _GNU_SOURCE among them, are for the system's headers."""
    return re.match("-D[A-Z]", word)


def surroundings_of(file):
    """What a file says to the whole text that it stands in: what it uses, what it asks of libc, macros of ncurses."""
    return sorted(set(re.findall(r"^(?:using namespace [\w:]+;|# *define _.*|# *include <curses.*)", with_headers(file), re.M)))


def texts_of(units):
    """The units in groups that can be looked at in one text."""
    rules = sorted((path.parent for path in configurations()), key=lambda path: -len(path.parts))
    groups = {}  # by what must be the same: [units, names]
    for unit in units:
        names = names_of(unit)
        meant = [word for word in unit.arguments
                 if not (is_macro(word) or word.startswith("-I") or GENERATION.fullmatch(word))]
        rule = next(path for path in rules if path in unit.file.parents)
        # C has one scope for all names, and its headers are cheap.
        alone = [unit.file] if unit.file.suffix == ".c" else []
        candidates = groups.setdefault((rule, *alone, *surroundings_of(unit.file), *meant), [])
        for group, taken in candidates:
            agree = all(taken.get(name, meaning) == meaning for name, meaning in names.items())
            if len(group) < MOST_FILES_OF_A_TEXT and agree:
                group.append(unit)
                taken.update(names)
                break
        else:
            candidates.append(([unit], names))
    return sorted((group for found in groups.values() for group, _ in found), key=len, reverse=True)


def part_of_text(unit):
    """The file with its own macros, each header by the name that its own folders give it."""
    macros = dict((word[2:].split("=", 1) + ["1"])[:2] for word in filter(is_macro, unit.arguments))
    folders = [unit.file.parent, *(word[2:] for word in unit.arguments if word.startswith("-I"))]

    def included(match):
        found = (pathlib.Path(folder, match.group(2)) for folder in folders)
        path = next((path for path in found if path.exists()), match.group(2))
        return f'{match.group(1)}"{path}"'

    yield from (f"#define {name} {value}\n" for name, value in macros.items())
    yield f'#line 1 "{unit.file}"\n'
    yield re.sub(r'^( *# *include )"(.*?)"', included, unit.file.read_text(), flags=re.M) + "\n"
    yield from (f"#undef {name}\n" for name in macros)


def complaints_of_text(text, group):
    """The group's files one behind the other in a file that lies where their .clang-tidy is found."""
    text.parent.mkdir(parents=True, exist_ok=True)
    text.write_text("".join(line for unit in group for line in part_of_text(unit)))
    # Another file's variable is not shadowed; gcc warns of those within a file.
    arguments = [word for word in group[0].arguments if not is_macro(word)] + ["-Wno-shadow"]
    arguments += dict.fromkeys(word for unit in group for word in unit.arguments if word.startswith("-I"))
    return complaints_about(text, arguments)


def complaints_about(file, arguments):
    left_out = "" if IS_LONG else LEFT_TO_THE_LONG_FORM
    command = [*QUIET_TIDY, "--warnings-as-errors=*", f"--checks={left_out}"]
    command += [f"--header-filter=^{TOP}/({'|'.join(SOURCES)})/", str(file), "--", *arguments]
    command += ["-Wno-unknown-warning-option", "-Wno-unused-command-line-argument"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return (run.stdout + run.stderr or "no answer") if run.returncode else ""


def complaints_about_group(name, group, mirror):
    """Gives stamps to the files without any."""
    if len(group) == 1:
        return stamped(group, complaints_about(group[0].file, group[0].arguments))
    folder = mirror / group[0].file.parent.relative_to(TOP)
    complaints = complaints_of_text(folder / f"text-{name}{group[0].file.suffix}", group)
    if not complaints:
        return stamped(group, "")
    reason = re.search(r"error: (.*)", complaints)
    print(f"together: {reason.group(1) if reason else complaints}; so by halves:",
          *(unit.file.name for unit in group), flush=True)
    halves = group[:len(group) // 2], group[len(group) // 2:]
    return "".join(complaints_about_group(f"{name}-{n}", half, mirror) for n, half in enumerate(halves))


def stamped(units, complaints):
    for unit in units:
        if not complaints and unit.stamp is not None:
            unit.stamp.touch()
    return complaints


def complaints_about_programs():
    """What clang cannot read of them is not its matter here."""
    listed = subprocess.run(["git", "ls-files", "tests/*/programs/*.c", "tests/*/programs/*.cpp"],
                            cwd=TOP, check=True, capture_output=True, text=True).stdout.split()
    if not listed:
        sys.exit("no program in tests/*/programs")
    command = [*QUIET_TIDY, "--checks=-*,readability-braces-around-statements", *listed]
    command += ["--", "-w", "-fopenmp", "-D_GNU_SOURCE", "-Iinclude", "-Itests", "-Itests/support"]
    run = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):  # 1: errors in what gcc alone compiles
        return run.stderr or "no answer"
    return "".join(line + "\n" for line in run.stdout.splitlines() if "[readability-braces" in line)


def main(build, part):
    units = [unit for unit in units_of(build) if part_of(unit) == part]
    if not units:
        sys.exit("nothing to check")
    every = len(units)
    units = changed_units(units)
    give_stamps(units, build)
    mirror = build / "tidy" / part
    shutil.rmtree(mirror, ignore_errors=True)
    for path in configurations():
        copy = mirror / path.relative_to(TOP)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)

    texts = texts_of([unit for unit in units if not unit.is_clean()])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [
            pool.submit(complaints_about_group, number, group, mirror)
            for number, group in enumerate(texts)
        ]
        if part == "tests":
            jobs.append(pool.submit(complaints_about_programs))
        complaints = [job.result() for job in concurrent.futures.as_completed(jobs)]
    sys.stdout.write("".join(complaints))
    for unit in units:
        if unit.is_clean():
            unit.stamp.touch()  # in use
    for stamp in (build / "tidy/stamps").iterdir():
        if stamp.stat().st_mtime < time.time() - STAMP_DAYS * 86400:
            stamp.unlink()
    print(f"{len(units)} of {every} files changed, {sum(map(len, texts))} of them looked at in {len(texts)} texts")
    return 1 if any(complaints) else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]))
