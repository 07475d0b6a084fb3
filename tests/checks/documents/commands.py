# SPDX-License-Identifier: Apache-2.0
"""commands.py --example EXAMPLE.md BUILD LIBOMP CC CLANG FILE.md... - runs every command of the
documents as it is written, and before them those of an example that is wrong.

Run from the top of the sources, by commands.sh. A command is a line of a fence `sh`, or a text in
backticks with a blank whose first word can be run: a program of the build, of the system or of the
tests. What is listed is one, too. Each runs in a folder that looks like a reader's: the build is installed there, and the files
that the documents name are in it (prepare). What cannot run here is listed with its reason in
commands_not_run.txt. It is a breach

  failed    if a command ends badly, or does not print what it is for (EXPECTED)
  unknown   if something listed stands in no document
  fence     if a fence has no language, or one of which nothing is known (LANGUAGES)

Programs in C are compiled, and so are the lines for CMake. Those in Python are run by
report.Formats*, those in SQL by report.Sqlite*, and verdict.start_page compares diffs with programs. Prints one line for each breach and exits with 1 if
there is one.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from documents import CODE

LIST = "commands_not_run.txt"
LANGUAGES = {"sh", "text", "c", "cmake", "python", "sql", "diff"}
# Of tests, in no search path.
TEST_PROGRAMS = {"processes", "churn", "storm", "libgomp-tests", "tau_exec", "tau_cc.sh", "./configure"}
ASSIGNMENT = re.compile(r"[A-Z_]+=(\"[^\"]*\"|\S*)\s+")
TIME_LIMIT_S = 300

FORKS = r"(?m)^ *\d+ FORK$"
PROFILE = r"== OpenMP profile of"
# What stands in a command, and what must then be printed. The first row that fits holds.
EXPECTED = [
    (r"OMP_TOOL_LIBRARIES=.*bridge", r"START OK, 1 FORK"),
    (r"mycollector|event-counter\.so --|TAU-preload|bridge\.so \./program", FORKS),
    (r"^cc -shared", r"^$"),
    (r"\banalyzer\.c", r"START 0\n2 threads, 1 FORK, 1 JOIN, region 1"),
    (r"\bcollector\.c", FORKS),
    (r"libmytool", r"a tool is attached"),
    (r"--dry-run", r"(?m)^LD_PRELOAD="),
    (r"--capabilities", r"START answers:  OK"),
    (r"^ompcollect --help", r"OCB_INIT"),
    (r"^ompcollect --version", r"built from +commit "),
    (r"^ompcollect report .* --all", r"== OpenMP profile of"),
    (r"^ompcollect report", r"^$"),
    (r"^ompcollect diff", r"^== Comparison of "),
    (r"^ompcollect scale", r"== Scaling of "),
    (r"libompcollect-default", r"\[ompcollect\] profile of pid [0-9]+: ompcollect report "),
    (r"ompcollect", PROFILE),
    (r"LD_DEBUG", r"libomp-collector-bridge"),
    (r"\bldd\b", r"libomp\.so"),
    (r"gtest_filter", r"(?m)^\[  PASSED  \] [1-9]"),
]
# Codes that are no failure, by what stands in a command: ompt-compliance reports incorrect checks by
# them, and whether a rule holds is not the document's.
CODES = [(r"^ompt-compliance", {0, 254, 255}), (r"^ompcollect diff --fail-if", {0, 1, 3})]
FILES_MADE = {"-o run.ompc": "run.ompc", "-o run.html": "run.html", "libevent-counter.so": "libevent-counter.so"}


class Command:
    def __init__(self, place, text, comment=""):
        self.place, self.text, self.comment = place, text, comment

    def is_for_gcc(self):
        return bool(re.search(r"libgomp-ompt|libomp\.so\.5|gcc", self.text + self.comment))


def without_comment(line):
    text, _, comment = re.sub(r"\s+# ", "\0", line, count=1).partition("\0")
    return text.strip(), comment


def starts_a_command(text, places):
    rest = text
    while ASSIGNMENT.match(rest):
        rest = ASSIGNMENT.sub("", rest, count=1)
    words = rest.split()
    if not words or (len(words) == 1 and rest == text):
        return False
    word = words[0]
    if re.fullmatch(r"[A-Za-z].*[/.](sh|cpp|h|so).*", word) or word.startswith(("./", "build/")):
        return True
    return word in TEST_PROGRAMS or shutil.which(word, path=places) is not None


class Document:
    """Its commands, its snippets of code as (place, language, text), and its bad fences."""

    def __init__(self, name, places, listed=()):
        self.listed = listed
        self.commands, self.snippets, self.breaches = [], [], []
        fence, begin, prose = None, 0, []
        with open(name, encoding="utf-8") as file:
            lines = file.read().splitlines()
        for number, line in enumerate(lines + [""], 1):
            mark = re.match(r"\s*```+(\w*)\s*$", line)
            if fence is not None and mark:
                self.end_fence(name, begin, fence, lines[begin:number - 1])
                fence = None
            elif mark:
                fence, begin = mark.group(1), number
            if fence is not None or mark:
                continue
            # A table's row stands for itself, a paragraph is one text.
            if not line.strip() or line.startswith(("|", "<!--")):
                self.end_prose(name, prose, places)
                prose = []
            if line.strip() and not line.startswith("<!--"):
                prose.append((number, line.strip()))
        self.end_prose(name, prose, places)

    def end_fence(self, name, begin, language, lines):
        if language not in LANGUAGES:
            self.breaches.append(f"{name}:{begin}: fence: language '{language}'")
        if language == "sh":
            for number, line in enumerate(lines, begin + 1):
                if line.strip() and not line.strip().startswith("#"):
                    self.commands.append(Command(f"{name}:{number}", *without_comment(line)))
        elif language != "text":
            self.snippets.append((f"{name}:{begin}", language, "\n".join(lines) + "\n"))

    def end_prose(self, name, prose, places):
        text = " ".join(line for _, line in prose)
        for _, code in CODE.findall(text):
            code = code.replace("\\|", "|").strip()
            if code in self.listed or (" " in code and starts_a_command(code, places)):
                self.commands.append(Command(f"{name}:{prose[0][0]}", code))


class Reader:
    """The folder in which commands run, and what is around them."""

    def __init__(self, folder, build, libomp, cc, clang):
        self.folder, self.build, self.libomp, self.cc, self.clang = folder, build, libomp, cc, clang
        self.source = os.getcwd()
        self.usr = os.path.join(folder, "usr")
        self.run(["cmake", "--install", build, "--prefix", self.usr])
        archive = next(os.path.join(place, "libomp-collector-bridge.a") for place, _, names in os.walk(self.usr)
                       if "libomp-collector-bridge.a" in names)
        self.lib = os.path.dirname(archive)
        self.environment = {
            "PATH": ":".join([f"{self.usr}/bin", f"{folder}/bin", folder, f"{build}/bin", os.environ["PATH"]]),
            "LD_LIBRARY_PATH": f"{self.lib}:{self.lib}/omp-collector-names:{libomp}/14/lib:{folder}",
            "CPATH": f"{self.usr}/include", "LIBRARY_PATH": self.lib, "HOME": folder,
            "OMP_NUM_THREADS": "2", "TAU": folder, "LANG": "C.UTF-8",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def run(self, words, **options):
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=TIME_LIMIT_S, cwd=self.folder, text=True, errors="replace", check=False,
                              **options)
        return done.returncode, done.stdout

    def must_run(self, words, **options):
        code, text = self.run(words, env=self.environment, **options)
        if code != 0:
            sys.exit(f"preparing: {' '.join(words)}: exit code {code}\n{text}")

    def file(self, name):
        return os.path.join(self.folder, name)

    def link(self, target, name):
        os.makedirs(os.path.dirname(self.file(name)), exist_ok=True)
        os.symlink(target, self.file(name))

    def prepare(self):
        for folder in ("include", "compat", "tests"):
            self.link(os.path.join(self.source, folder), folder)
        self.link(self.build, "build/release")
        self.link(self.build, "build/ci")
        self.link(self.clang, "bin/clang")
        self.link(os.path.join(self.source, "compat/ompcollect/formats/run.fbs"), "run.fbs")
        self.link(os.path.join(self.lib, "libomp-collector-bridge.a"), "libomp-collector-bridge.a")
        counter = os.path.join(self.source, "compat/examples/event_counter.c")
        for name, source in (("program.c", "tests/package/consumer/program.c"),
                             ("analyzer.c", "tests/loading/programs/embedded.c"),
                             ("collector.c", "compat/examples/event_counter.c"),
                             ("late.c", "tests/loading/programs/late_lookup.c")):
            self.link(os.path.join(self.source, source), name)
        for compiler, sources in (("gcc", "program.c"), ("clang", "program.c"), ("inside", "program.c collector.c"),
                                  ("late", "late.c")):
            self.must_run([self.cc if compiler == "gcc" else self.clang, "-g", "-fopenmp", *sources.split(),
                           "-o", f"program-{compiler}", "-ldl"])
        for library in ("libmycollector.so", "libTAU-preload.so"):
            self.must_run([self.cc, "-shared", "-fPIC", counter, "-o", library, "-ldl"])
        self.must_run([self.cc, "-shared", "-fPIC", "-include", "stdio.h", '-DTOOL_ATTACHED()=puts("a tool is attached")',
                       os.path.join(self.source, "tests/support/other_tool.c"), "-o", "libmytool.so"])
        self.choose("clang")
        for name in ("run", "before", "after", "before-1", "after-1", "before-2", "after-2"):
            self.must_run(["ompcollect", "-o", f"{name}.ompc", "./program"])

    def choose(self, kind):
        shutil.copy(self.file(f"program-{kind}"), self.file("program"))

    def program_for(self, command):
        if "OMP_TOOL_LIBRARIES" in command.text and "bridge" in command.text:
            return "late"
        if "linked in" in command.comment:
            return "inside"
        return "gcc" if command.is_for_gcc() or "LIBGOMP.md" in command.place else "clang"

    def clear(self):
        for name in list(FILES_MADE.values()) + ["a.out"]:
            if name in ("run.html", "a.out") and os.path.exists(self.file(name)):
                os.remove(self.file(name))

    def result_of(self, command):
        """What is wrong with it; None: nothing."""
        self.choose(self.program_for(command))
        self.clear()
        text = command.text.replace("/path/to/", self.lib + "/")
        text = text.replace("/path/of/a/newer/", f"{self.libomp}/19/lib/")
        environment = dict(self.environment)
        if "cmake --install" in text:
            environment["DESTDIR"] = self.file("destination")
        if "LD_DEBUG" in text:
            environment["LD_PRELOAD"] = "libomp-collector-bridge.so"
        code, output = self.run(["sh", "-c", text], env=environment)
        if os.path.exists(self.file("a.out")):
            # On libgomp too, which has no OMPT by itself.
            environment["LD_PRELOAD"] = "libgomp-ompt.so"
            more, said = self.run(["./a.out"], env=environment)
            code, output = code or more, output + said
        if code not in next((codes for pattern, codes in CODES if re.search(pattern, text)), {0}):
            return f"exit code {code}: {output.strip()}"
        for made, name in FILES_MADE.items():
            if made in text and not os.path.exists(self.file(name)):
                return f"it makes no {name}"
        for pattern, wanted in EXPECTED:
            if re.search(pattern, text):
                return None if re.search(wanted, output) else f"it does not print {wanted}: {output.strip()}"
        return None

    def check_snippet(self, language, text):
        if language == "c":
            with open(self.file("snippet.c"), "w", encoding="utf-8") as file:
                file.write(text)
            words = [self.cc, "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "snippet.c", "-o", "libsnippet.so"]
        elif language == "cmake":
            os.makedirs(self.file("project"), exist_ok=True)
            with open(self.file("project/CMakeLists.txt"), "w", encoding="utf-8") as file:
                file.write("cmake_minimum_required(VERSION 3.22)\nproject(Snippet LANGUAGES C)\n"
                           "add_executable(analyzer ../analyzer.c)\nadd_executable(program ../program.c)\n"
                           "foreach(target analyzer program)\ntarget_compile_options(${target} PRIVATE -fopenmp)\n"
                           "target_link_options(${target} PRIVATE -fopenmp)\nendforeach()\n" + text)
            words = ["sh", "-c", f"cmake -S project -B project/build -DCMAKE_PREFIX_PATH={self.usr} && "
                                 "cmake --build project/build && project/build/analyzer && project/build/program"]
        else:
            return None
        code, output = self.run(words, env=self.environment)
        return f"exit code {code}: {output}" if code != 0 else None


def listed_commands():
    """In their order; each paragraph begins with a reason behind a hash."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), LIST), encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    return [line for line in lines if line and not line.startswith("#")]


def check(reader, names, listed):
    breaches, seen, ran = [], set(), 0
    for name in names:
        document = Document(name, reader.environment["PATH"], listed)
        breaches += document.breaches
        for command in document.commands:
            if command.text in listed:
                seen.add(command.text)
                continue
            ran += 1
            wrong = reader.result_of(command)
            if wrong:
                breaches.append(f"{command.place}: failed: {command.text}\n    {wrong}")
        for place, language, text in document.snippets:
            wrong = reader.check_snippet(language, text)
            if wrong:
                breaches.append(f"{place}: failed: the {language} of this fence\n    {wrong}")
    breaches += [f"{LIST}: unknown: {command}" for command in listed if command not in seen]
    return breaches, ran


def announced_breaches(name):
    """As documents.sh has them: a comment `breach: RULE` stands before the line that is wrong."""
    announced, rule = [], None
    with open(name, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("<!-- breach: "):
                rule = line.split()[2]
            elif rule and line.strip():
                # Of a fence `sh` the line in it is meant.
                announced.append(f"{name}:{number + (line.startswith('```sh'))}: {rule}")
                rule = None
    return announced


def check_checker(reader, example):
    announced = announced_breaches(example) + [f"{LIST}: unknown"]
    found, _ = check(reader, [example], ["a command that is not there"])
    found = [re.match(r"(\S+: \w+)", breach).group(1) for breach in found]
    return sorted(announced), sorted(found)


def main(_, example, build, libomp, cc, clang, *names):
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(folder, os.path.abspath(build), os.path.abspath(libomp), cc, shutil.which(clang) or clang)
        reader.prepare()
        announced, found = check_checker(reader, example)
        if announced != found:
            print(f"of {example} these breaches are announced:", *announced, "and these found:", *found, sep="\n")
            return 1
        breaches, ran = check(reader, names, listed_commands())
    print(*breaches, f"{ran} commands were run", sep="\n")
    return 1 if breaches or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
