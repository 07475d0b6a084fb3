# SPDX-License-Identifier: Apache-2.0
"""tidy.py BUILD_FOLDER - clang-tidy 14 with the .clang-tidy of this project over the C and C++
sources that the build compiles; any warning is an error, clang's own ones too. Options of gcc alone
are let pass.

Most of the time of a file goes into its headers. So files of one folder with the same compile
command are looked at in one text, one behind the other, where no name is defined twice. Where such
a text has a warning, each of its files is looked at by itself: that alone decides.

A file that was clean has a stamp, BUILD_FOLDER/tidy/stamps/KEY. The key stands for all that the
result depends on: the compile command, the contents of the file and of all that it includes
(ninja's record of the last build), every .clang-tidy, this program and clang-tidy's version. A file
that the record does not know is always looked at. Only clean files get stamps.

The analyzer that follows paths takes 80 % of the time where nothing limits it. Here it looks at a
tenth of its usual number of states per function. With OCB_TEST_LONG=1 it has its usual limit, every
file is looked at by itself, so that it must include what it uses, and the files of tests/ have the
checks that tests/.clang-tidy leaves to the long form.

Programs of tests are compiled by commands of their own, some by gcc alone. They have their braces
looked at and no more.
"""
import concurrent.futures
import dataclasses
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
QUIET_TIDY = ["nice", "-n", "19", TIDY, "--quiet"]
TOP = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ("collector-bridge", "ompt-backend", "compat", "tests")
IS_LONG = bool(os.environ.get("OCB_TEST_LONG"))
ANALYZER_STATES = 225000 if IS_LONG else 20000
MOST_FILES_OF_A_TEXT = 1 if IS_LONG else 12
STAMP_DAYS = 30


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


def give_stamps(units, build, checks):
    rules = hashlib.sha256(subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout)
    rules.update(f"{checks} {ANALYZER_STATES} {MOST_FILES_OF_A_TEXT}".encode())
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
    re.compile(r"^(?!using |namespace )[\w\[][\w:<>,*&\[\]\" ]*?[ *&](\w+)(?:\[\w*\])*(?:\(| = |\{|;)"),
]


def names_defined_in(file):
    names = set()
    for line in file.read_text().splitlines():
        found = (pattern.match(line) for pattern in DEFINITIONS)
        names.update(match.group(1) for match in found if match)
    return names


def texts_of(units):
    """The units in groups that can be looked at in one text."""
    groups = {}  # by folder, language, namespaces in use and command: [units, names]
    for unit in units:
        names = names_defined_in(unit.file)
        used = re.findall(r"^using namespace .*", unit.file.read_text(), re.M)
        candidates = groups.setdefault((unit.file.parent, unit.file.suffix, *used, *unit.arguments), [])
        for group, taken in candidates:
            if len(group) < MOST_FILES_OF_A_TEXT and not names & taken:
                group.append(unit)
                taken |= names
                break
        else:
            candidates.append(([unit], names))
    return sorted((group for found in groups.values() for group, _ in found), key=len, reverse=True)


def complaints_about(file, arguments, more_checks):
    command = [*QUIET_TIDY, "--warnings-as-errors=*", f"--checks={more_checks}"]
    command += [f"--header-filter=^{TOP}/({'|'.join(SOURCES)})/", str(file), "--", *arguments]
    command += ["-Wno-unknown-warning-option", "-Wno-unused-command-line-argument"]
    command += ["-Xclang", "-analyzer-config", "-Xclang", f"max-nodes={ANALYZER_STATES}"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return (run.stdout + run.stderr or "no answer") if run.returncode else ""


def complaints_about_group(number, group, mirror, more_checks):
    """Gives stamps to the files without any."""
    folder = group[0].file.parent
    checks = more_checks if TOP / "tests" in group[0].file.parents else ""
    if len(group) > 1:
        # It lies where the .clang-tidy of its files is found.
        text = mirror / folder.relative_to(TOP) / f"text-{number}{group[0].file.suffix}"
        text.parent.mkdir(parents=True, exist_ok=True)
        text.write_text("".join(f'#line 1 "{unit.file}"\n{unit.file.read_text()}\n' for unit in group))
        # Another file's variable is not shadowed; gcc warns of those within a file.
        arguments = [*group[0].arguments, "-Wno-shadow", "-iquote", str(folder)]
        complaints = complaints_about(text, arguments, checks)
        if not complaints:
            return stamped(group, "")
        reason = re.search(r"error: (.*)", complaints)
        print(f"together: {reason.group(1) if reason else complaints}; so one by one:",
              *(unit.file.name for unit in group), flush=True)
    return "".join(stamped([unit], complaints_about(unit.file, unit.arguments, checks)) for unit in group)


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


def checks_of_the_long_form():
    left_out = re.findall(r"^ *-(bugprone-[a-z-]*),*$", (TOP / "tests/.clang-tidy").read_text(), re.M)
    if not left_out:
        sys.exit("tests/.clang-tidy leaves no check to the long form")
    return ",".join(left_out)


def main(build):
    more_checks = checks_of_the_long_form() if IS_LONG else ""
    units = list(units_of(build))
    if not units:
        sys.exit("nothing to check")
    give_stamps(units, build, more_checks)
    mirror = build / "tidy/now"
    shutil.rmtree(mirror, ignore_errors=True)
    for path in configurations():
        copy = mirror / path.relative_to(TOP)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)

    texts = texts_of([unit for unit in units if not unit.is_clean()])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [
            pool.submit(complaints_about_group, number, group, mirror, more_checks)
            for number, group in enumerate(texts)
        ]
        jobs.append(pool.submit(complaints_about_programs))
        complaints = [job.result() for job in concurrent.futures.as_completed(jobs)]
    sys.stdout.write("".join(complaints))
    for unit in units:
        if unit.is_clean():
            unit.stamp.touch()  # in use
    for stamp in (build / "tidy/stamps").iterdir():
        if stamp.stat().st_mtime < time.time() - STAMP_DAYS * 86400:
            stamp.unlink()
    print(f"{len(units)} files, {sum(map(len, texts))} of them looked at in {len(texts)} texts")
    return 1 if any(complaints) else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
