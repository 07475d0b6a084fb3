# SPDX-License-Identifier: Apache-2.0
"""mutants.py BUILD SUBJECT... [--every N] [--least PERCENT] - changes one comparison, constant, sign
or condition after the other and sees whether a test fails.

All mutants of a file are compiled into one object (mutant.h), by the build's own command. It is
linked before the rest of the test program, whose own definitions then come second. OCB_MUTANT
chooses a mutant, and the subject's tests run once for each. A mutant is killed where they fail, or
do not end in ten times their usual time. What does not compile is no mutant.

A subject is a row of SUBJECTS. --every N runs each N-th mutant alone. Prints the survivors, and
exits with 1 where less than --least percent (default 90) are killed.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]

# subject: file, program of the build, tests of it that may kill its mutants
REPORTS = ("*Loss*:*Evidence*:*Causes*:Brief*:LineWidth*:Figures*:Finding*:Blame*:Verdict.*:Made*:*MadeDisease*:TimeClass*:"
           "Unmeasured*:Processors*:SharedMachine*:Limits*:ShortLived*:Warnings*:ForkingOnes*:TaskWaits*:RegionShape*:SerialPlaces*")
SUBJECTS = {
    "checker": ("tests/truth/checker.cpp", "truth-checker-tests", "*"),
    "figures": ("compat/ompcollect/analysis/figures.cpp", "report-tests", REPORTS),
    "losses": ("compat/ompcollect/analysis/losses.cpp", "report-tests", REPORTS),
    "region_shape": ("compat/ompcollect/analysis/region_shape.cpp", "report-tests", REPORTS),
    "serial_place": ("compat/ompcollect/analysis/serial_place.cpp", "report-tests", REPORTS),
    "blame": ("compat/ompcollect/analysis/blame.cpp", "report-tests", REPORTS),
    "findings": ("compat/ompcollect/analysis/findings.cpp", "report-tests", REPORTS),
    "evidence": ("compat/ompcollect/analysis/evidence.cpp", "report-tests", REPORTS),
    "verdict": ("compat/ompcollect/screen/verdict.cpp", "report-tests", REPORTS),
}

COMPARISONS = {"<": "Less", ">": "Greater", "<=": "LessEqual", ">=": "GreaterEqual", "==": "Equal",
               "!=": "Unequal", "+": "Plus", "-": "Minus"}
TOKENS = re.compile(r"(?P<limit>\blimit\(Limit::k\w+\)|\bfewest_samples\(\))"
                    r"|(?P<sign>(?<= )(?:<=|>=|==|!=|<|>|\+|-)(?= ))"
                    r"|(?P<truth>\b(?:true|false)\b)"
                    r"|(?P<number>(?<![\w.'\"])\d[\d']*(?:\.\d+)?(?:e-?\d+)?(?![\w.'\"]))")
# A constant that is chosen at run time is no constant of the compiler's.
CONSTANT = re.compile(r"^( *)(static )?constexpr (?!char|const|std::string_view)")


def code_of(line):
    """The line with its strings, characters and comment blanked."""
    line = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', lambda m: "_" * len(m.group()), line)
    return re.sub(r"//.*", lambda m: "_" * len(m.group()), line)


class Mutants:
    """The mutants of one file: rows of (number, line, what it becomes)."""

    def __init__(self, file):
        self.lines = file.read_text().split("\n")
        self.rows = []
        self.left_out = set()  # lines that do not compile with mutants
        self.without_sums = set()  # or not with those of + and -: texts

    def text(self):
        self.rows, made = [], []
        for at, line in enumerate(self.lines, 1):
            code = code_of(line)
            if at in self.left_out or code.lstrip().startswith(("#", "case ", "template", "using ", "enum ")):
                made.append(line)
                continue
            made.append(self.conditions(at, self.tokens(at, line, code)))
        return "\n".join(made)

    def add(self, at, what):
        self.rows.append((len(self.rows) + 1, at, what))
        return len(self.rows)

    def tokens(self, at, line, code):
        pieces, end = [], 0
        for match in TOKENS.finditer(code):
            token = match.group()
            if token in "+-" and at in self.without_sums:
                continue
            pieces.append(line[end:match.start()])
            end = match.end()
            if match.lastgroup == "limit":
                number = self.add(at, f"{token} is twice that (column {match.start() + 1})")
                self.add(at, f"{token} is half of that (column {match.start() + 1})")
                pieces.append(f"ocb_mutation::moved<{number}>({token})")
            elif match.lastgroup == "sign":
                name = COMPARISONS[token]
                number = self.add(at, f"{token} changed (column {match.start() + 1})")
                pieces.append(f"{token} ocb_mutation::{name}<{number}>() {token}")
            elif match.lastgroup == "truth":
                number = self.add(at, f"{token} is the other (column {match.start() + 1})")
                pieces.append(f"ocb_mutation::truth<{number}>({token})")
            else:
                number = self.add(at, f"{token} is larger (column {match.start() + 1})")
                pieces.append(f"ocb_mutation::number<{number}>({token})")
        return CONSTANT.sub(r"\1\2const ", "".join(pieces) + line[end:])

    def conditions(self, at, line):
        match = re.match(r"^( *(?:\} else )?if )\(([^;]*)\) \{$", line)
        if match:
            number = self.add(at, "the condition is the contrary")
            return f"{match.group(1)}(ocb_mutation::is({number}) != static_cast<bool>({match.group(2)})) {{"
        match = re.match(r"^( *return )(?!\{|.* \? )(.* (?:&&|\|\|) .*);$", line)
        if match:
            number = self.add(at, "the result is the contrary")
            return f"{match.group(1)}ocb_mutation::is({number}) != static_cast<bool>({match.group(2)});"
        return line


def compile_command(build, file):
    """The words of the command that the build compiles the file with, alone or in a batch."""
    import json
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if source == file or (source.parent.name == "Unity" and f'"{file}"' in source.read_text()):
            words = shlex.split(entry["command"])
            kept, skip = [], False
            for word in words:
                if skip or word in ("-c", "-MD", "ccache", "-Winvalid-pch", "-Werror") or word == entry["file"]:
                    skip = False
                elif word in ("-o", "-MF", "-MT", "-include"):
                    skip = True
                elif not word.startswith("-O"):
                    kept.append(word)
            return kept, build
    sys.exit(f"{file} is in no command of {build}")


def build_object(build, file, folder):
    """The mutants, and the object that has them all. What does not compile is left out by lines."""
    mutants = Mutants(file)
    source, made = folder / file.name, folder / (file.stem + ".o")
    command, where = compile_command(build, file)
    command += [f"-I{file.parent}", "-O0", "-w", "-include", str(TOP / "tests/mutation/mutant.h")]
    for _ in range(12):
        source.write_text(mutants.text())
        run = subprocess.run([*command, "-fmax-errors=0", "-c", "-o", str(made), str(source)], cwd=where,
                             capture_output=True, text=True, check=False)
        if run.returncode == 0:
            return mutants, made
        # The line of an error, or of the use that led to it.
        bad = {int(n) for n in re.findall(rf"{re.escape(str(source))}:(\d+):\d+:", run.stderr)}
        bad |= {int(n) for n in re.findall(rf"{re.escape(str(source))}:(\d+):\d+: +required", run.stderr)}
        if not bad - mutants.left_out:
            sys.exit(run.stderr)
        mutants.left_out |= bad & mutants.without_sums
        mutants.without_sums |= bad
    sys.exit(f"{file}: no text of mutants compiles")


def link(build, program, made, folder):
    commands = subprocess.run(["ninja", "-t", "commands", program], cwd=build, check=True, capture_output=True,
                              text=True).stdout.splitlines()
    line = next(c for c in reversed(commands) if re.search(rf"-o \S*{program}(?= )", c))
    line = line.split("&&")[1]
    output = folder / program
    words = shlex.split(line)
    at = words.index("-o")
    words[at:at + 2] = [str(made), "-Wl,-z,muldefs", "-o", str(output)]
    # First of all objects: its definitions are those that count.
    words.remove(str(made))
    first = next(n for n, word in enumerate(words) if word.endswith(".o"))
    words.insert(first, str(made))
    subprocess.run([word for word in words if word != "ccache"], cwd=build, check=True)
    return output


def outcome(program, tests, number, limit, folder):
    environment = dict(os.environ, OCB_MUTANT=str(number))
    try:
        run = subprocess.run([str(program), "--gtest_brief=1", f"--gtest_filter={tests}"], env=environment,
                             timeout=limit, capture_output=True, text=True, check=False, cwd=folder)
    except subprocess.TimeoutExpired:
        return "hangs"
    return "passes" if run.returncode == 0 and re.search(r"PASSED.* [1-9]\d* test", run.stdout) else "fails"


def survivors_of(name, build, every):
    file, program, tests = SUBJECTS[name]
    folder = build / "mutation" / name
    folder.mkdir(parents=True, exist_ok=True)
    mutants, made = build_object(build, TOP / file, folder)
    linked = link(build, program, made, folder)
    begun = time.monotonic()
    if outcome(linked, tests, 0, 600, folder) != "passes":
        sys.exit(f"{name}: its tests fail without a mutant")
    limit = 10 * (time.monotonic() - begun) + 5
    chosen = mutants.rows[::every]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda row: outcome(linked, tests, row[0], limit, folder), chosen))
    left = [row for row, how in zip(chosen, found) if how == "passes"]
    for _, at, what in left:
        print(f"survives: {file}:{at}: {what}: {mutants.lines[at - 1].strip()}")
    killed = len(chosen) - len(left)
    print(f"{name}: {killed} of {len(chosen)} mutants killed, {100 * killed / len(chosen):.1f} %; "
          f"{len(mutants.left_out)} lines left out", flush=True)
    return killed, len(chosen)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("subjects", nargs="+", choices=SUBJECTS)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--least", type=float, default=90)
    asked = parser.parse_args()
    killed, all_of_them = map(sum, zip(*(survivors_of(s, asked.build.resolve(), asked.every) for s in asked.subjects)))
    if killed < asked.least / 100 * all_of_them:
        sys.exit(f"{100 * killed / all_of_them:.1f} % are killed, less than {asked.least:g} %")


if __name__ == "__main__":
    main()
