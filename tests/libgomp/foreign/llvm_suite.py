#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# LLVM's tests of libomp's OMPT, as programs that gcc builds: llvm_suite.py SOURCES BUILD LIBOMP
# [--llvm N] [--work FOLDER] [--only PATTERN] [--show]. SOURCES is the archive of LLVM's sources that
# Debian's source package llvm-toolchain-14 has, or the folder openmp/runtime/test of it. Each test is
# run on libomp and on libgomp with libgomp-ompt. On libgomp a test may fail where it fails on libomp
# too, and where EXPECTED has the reason (docs/LIBGOMP.md). Passes if nothing else fails, and nothing
# of EXPECTED passes.
import argparse
import concurrent.futures
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tarfile

TRIES = 5  # some tests take it for granted which thread comes first

EXPECTED = {
    "loadtool/tool_available_search/tool_available_search.c": "the words of OMP_TOOL_VERBOSE_INIT",
    "misc/runtime_error.c": "calls __kmpc_error itself",
    "parallel/parallel_if0.c": "tasks of a team of one are deferred",
    "parallel/serialized.c": "tasks of a team of one are deferred",
    "synchronization/barrier/implicit_task_data.c": "the kind of barriers before OpenMP 5.1",
    "synchronization/test_lock.c": "the kind of a mutex that is tested",
    "synchronization/test_nest_lock.c": "the kind of a mutex that is tested",
    "synchronization/test_nest_lock_parallel.c": "the kind of a mutex that is tested",
    "tasks/dependences.c": "task_dependence is never reported",
    "tasks/task_types.c": "tasks of a team of one are deferred",
    "tasks/task_types_serialized.c": "tasks of a team of one are deferred",
}

# gcc's omp.h lacks it up to gcc 16.
DECLARATIONS = """
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
typedef enum { omp_control_tool_start = 1, omp_control_tool_pause = 2, omp_control_tool_flush = 3,
               omp_control_tool_end = 4 } omp_control_tool_t;
int omp_control_tool(int, int, void *);
#ifdef __cplusplus
}
#endif
"""


def unpack(archive, work):
    folder = work / "sources"
    if not folder.exists():
        partial = work / "sources.partial"
        with tarfile.open(archive) as tar:
            for member in tar:
                if "/openmp/runtime/test/" in member.name or "kmp_platform.h" in member.name:
                    tar.extract(member, partial)
        partial.rename(folder)
    return next(folder.glob("*/openmp/runtime/test"))


class Suite:
    def __init__(self, arguments):
        self.work = pathlib.Path(arguments.work).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        sources = pathlib.Path(arguments.sources).resolve()
        self.sources = unpack(sources, self.work) if sources.is_file() else sources
        include = self.work / "include"
        include.mkdir(exist_ok=True)
        clang = [f"clang-{arguments.llvm}", "-print-file-name=include/omp-tools.h"]
        header = subprocess.run(clang, capture_output=True, text=True, check=True).stdout.strip()
        (include / "omp-tools.h").write_text(pathlib.Path(header).read_text())
        (include / "control_tool.h").write_text(DECLARATIONS)
        libomp = self.work / "libomp"
        libomp.mkdir(exist_ok=True)
        link = libomp / "libgomp.so.1"
        link.unlink(missing_ok=True)
        link.symlink_to(pathlib.Path(arguments.libomp).resolve())
        self.filecheck = f"FileCheck-{arguments.llvm}"
        self.flags = (f"-g -fopenmp -rdynamic -w -I{include} -include stdlib.h "
                      f"-include control_tool.h -I{self.sources} -I{self.sources}/ompt")
        ompt = pathlib.Path(arguments.build, "lib/libgomp-ompt.so").resolve()
        # What has omp_control_tool; what stands before the program, as a shell's words; the same
        # for a tool that is preloaded.
        self.linked = {"libomp": link, "libgomp": f"-Wl,--no-as-needed {ompt}"}
        self.before = {"libomp": f"env LD_LIBRARY_PATH={libomp}",
                       "libgomp": f"env LD_PRELOAD={ompt}"}
        self.tool_before = {"libomp": f"env LD_LIBRARY_PATH={libomp} LD_PRELOAD=",
                            "libgomp": f"env LD_PRELOAD={ompt}:"}

    def tests(self, pattern):
        folder = self.sources / "ompt"
        return [path for path in sorted(folder.rglob("*.c*"))
                if fnmatch.fnmatch(str(path.relative_to(folder)), pattern)]

    # The test without its lines that no callback may be refused: which ones are never reported is
    # the document's matter, and all else is compared.
    def checks(self, path, folder):
        text = re.sub(r"(?m)^\s*//.*CHECK-NOT:.*Could not register callback.*$", "//",
                      path.read_text())
        checks = folder / (path.name + ".checks")
        checks.write_text(text)
        return checks

    # Its RUN lines as a shell's.
    def commands(self, path, runtime):
        folder = self.work / runtime / path.relative_to(self.sources).parent
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / (path.stem + ".tmp")
        compiles = f"{'g++ -std=c++14' if path.suffix == '.cpp' else 'gcc'} {self.flags}"
        links = f"{compiles} %s -o %t {self.linked[runtime]} -lm"
        words = (
            ("%libomp-compile-and-run", "%libomp-compile && %libomp-run"),
            ("%libomp-cxx-compile-and-run", "%libomp-cxx-compile && %libomp-run"),
            ("%libomp-cxx-compile", links), ("%libomp-compile", links), ("%libomp-run", "%run %t"),
            ("%preload-tool", f"{self.tool_before[runtime]}%T/tool.so"), ("%clang", "gcc"),
            ("%flags", self.flags), ("%no-as-needed-flag", "-Wl,--no-as-needed"),
            ("FileCheck %s", f"FileCheck {self.checks(path, folder)}"),
            ("FileCheck", f"tee %t.out | {self.filecheck}"), ("%sort-threads", "sort -n -s"),
            ("%not", "!"), ("%run", self.before[runtime]), ("%s", str(path)),
            ("%S", str(path.parent)), ("%T", str(folder)), ("%t", str(program)))
        text = re.sub(r"\\\n//\s*RUN:", "", path.read_text())
        for line in re.findall(r"RUN:(.*)", text):
            for word, instead in words:
                line = line.replace(word, instead)
            yield line.strip()

    # None: it passes; otherwise what was written.
    def run(self, path, runtime):
        for command in self.commands(path, runtime):
            try:
                result = subprocess.run(["bash", "-o", "pipefail", "-c", command], timeout=120,
                                        capture_output=True, text=True, errors="replace",
                                        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
            except subprocess.TimeoutExpired:
                return "hangs"
            if result.returncode != 0:
                return f"{command}\n{result.stdout}{result.stderr}"
        return None

    # A failure on libgomp alone is tried again, unless it is expected.
    def judge(self, path):
        results = {runtime: self.run(path, runtime) for runtime in self.before}
        tries = TRIES if results["libomp"] is None and self.name(path) not in EXPECTED else 1
        while results["libgomp"] is not None and tries > 1:
            results["libgomp"] = self.run(path, "libgomp")
            tries -= 1
        return results

    def name(self, path):
        return str(path.relative_to(self.sources / "ompt"))


def is_expected(name, results):
    if results["libgomp"] is None:
        return name not in EXPECTED
    return name in EXPECTED or results["libomp"] is not None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sources")
    parser.add_argument("build")
    parser.add_argument("libomp")
    parser.add_argument("--llvm", default="14")
    parser.add_argument("--work", default="/tmp/ocb-llvm-suite")
    parser.add_argument("--only", default="*")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    suite = Suite(arguments)
    paths = suite.tests(arguments.only)
    passed, bad = {runtime: 0 for runtime in suite.before}, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, results in zip(paths, pool.map(suite.judge, paths)):
            name = suite.name(path)
            for runtime, text in results.items():
                passed[runtime] += text is None
            words = ", ".join(f"{'fails' if text else 'passes'} on {runtime}"
                              for runtime, text in results.items())
            fits = is_expected(name, results)
            bad += not fits
            print(f"{name}: {words}{'' if fits else ': NOT AS EXPECTED'}", flush=True)
            if arguments.show:
                print(results)
    print(f"{len(paths)} tests: {passed['libomp']} pass on libomp, {passed['libgomp']} on libgomp; "
          f"{bad} not as expected")
    sys.exit(not paths or bad != 0)


if __name__ == "__main__":
    main()
