#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# GCC's own testsuite of libgomp: gcc_suite.py SOURCES BUILD [--libomp FILE] [--work FOLDER]
# [--only PATTERN] [--ways NAME,...]. SOURCES is the archive of GCC's sources that Debian's package gcc-12-source has,
# or the folder libgomp/testsuite of it. Each program that runs is run natively, twice, and in each
# way of ways.py; with --libomp also by `ompcollect --runtime`, where it runs on that libomp alone.
# Passes if no way shows a difference that native runs do not show, and if the
# validating tool finds no breach. Prints each difference, and at the end a count for each way.
import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tarfile

import dejagnu
import ways

COMPILERS = {"c": ["gcc"], "c++": ["g++"], "fortran": ["gfortran"]}
NATIVE_TRIES = 40  # before a difference is believed: rare orders of two threads are to be met


def programs(suite):
    for folder, pattern, language in (
            ("libgomp.c", "*.c", "c"), ("libgomp.c-c++-common", "*.c", "c"),
            ("libgomp.c-c++-common", "*.c", "c++"), ("libgomp.c++", "*.C", "c++"),
            ("libgomp.fortran", "*.[fF]*", "fortran")):
        for path in sorted((suite / folder).glob(pattern)):
            yield path, language


# libgomp's folder of an archive, unpacked into the work folder.
def unpack(archive, work):
    folder = work / "sources"
    if not folder.exists():
        partial = work / "sources.partial"
        with tarfile.open(archive) as tar:
            for member in tar:
                if "/libgomp/" in member.name:
                    tar.extract(member, partial)
        partial.rename(folder)
    return next(folder.glob("*/libgomp/testsuite"))


# What the build of libgomp makes, as far as a few programs include it.
def make_headers(work):
    folder = work / "include"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("gstdint.h", "#include <stdint.h>\n"),
                       ("config.h", "#define HAVE_PTHREAD_AFFINITY_NP 1\n")):
        if not (folder / name).exists():
            (folder / name).write_text(text)
    return folder


# The path of the built program; None where it does not build here.
def build(path, language, asked, work):
    key = hashlib.sha1(f"{path}{language}{asked.options}".encode()).hexdigest()[:8]
    folder = work / f"{path.stem}-{language.replace('+', 'p')}-{key}"
    program = folder / path.stem
    if program.exists() or (folder / "fails").exists():
        return program if program.exists() else None
    folder.mkdir(parents=True, exist_ok=True)
    own = (["-J", str(folder)] if language == "fortran" else
           [f"-I{make_headers(work)}", f"-I{path.parents[2]}"])
    more = [str(path.parent / source) for source in asked.sources]
    command = [*COMPILERS[language], *asked.options, "-fopenmp", "-w", *own, str(path), *more,
               "-o", str(program), "-lm"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if built.returncode != 0:
        (folder / "fails").write_text(" ".join(command) + "\n" + built.stderr)
        return None
    return program


# What it writes; addresses differ from run to run.
def told(run):
    return re.sub(rb"0x[0-9a-f]+", b"ADDRESS", run.out), re.sub(rb"0x[0-9a-f]+", b"ADDRESS", run.err)


def tail(run):
    return (run.out[-400:] + run.err[-400:]).decode(errors="replace")


# Not all of the program can run on that libomp: the launcher refuses it, or the bridge says that
# libgomp is in use too.
def is_not_for_libomp(run):
    return (run.ended == "125" and b"lacks" in run.err) or b"a second OpenMP runtime" in run.err


# On libomp the order of two threads' lines changes from run to run.
def in_any_order(run):
    return ways.Run(run.ended, b"%d lines" % run.out.count(b"\n"), run.err)


def difference(run, found, native):
    if run.ended not in {one.ended for one in native}:
        return f"ends with {run.ended}, natively {native[0].ended}\n{tail(run)}"
    if len({told(one) for one in native}) == 1 and told(run) != told(native[0]):
        return f"writes something else\n{tail(run)}--- natively\n{tail(native[0])}"
    return "\n".join(line for line in found.splitlines() if line.startswith("breach"))


class Suite:
    def __init__(self, arguments):
        self.work = pathlib.Path(arguments.work).resolve()
        self.ways = ways.Ways(arguments.build, arguments.libomp)
        self.names = arguments.ways.split(",") if arguments.ways else self.ways.names()

    def run(self, way, program, asked):
        return self.ways.run(way, str(program), asked.environment, cwd=program.parent)

    # [(way, difference)] of one program; the difference is None where it does not run in that way
    # without us either. None: it is not run here at all.
    def judge(self, path, language):
        asked = dejagnu.read(path)
        program = build(path, language, asked, self.work) if asked.runs else None
        if program is None:
            return None
        references = {}
        differences = []
        for way in self.names:
            alone = ways.REFERENCES.get(way, "alone")
            if alone not in references:
                references[alone] = [self.run(alone, program, asked)[0] for _ in range(2)]
            native = references[alone]
            if alone != "alone" and any(run.ended != "0" for run in native):
                differences.append((way, None))
                continue
            run, found = self.run(way, program, asked)
            if way == "libomp":
                if is_not_for_libomp(run):
                    differences.append((way, None))
                    continue
                run, native = in_any_order(run), [in_any_order(one) for one in native]
            text = difference(run, found, native)
            # What happens natively in one of many runs may happen here.
            while text and len(native) < 2 + NATIVE_TRIES and "breach" not in text:
                one = self.run(alone, program, asked)[0]
                native.append(in_any_order(one) if way == "libomp" else one)
                text = difference(run, found, native)
            if text:
                differences.append((way, text))
        return differences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sources")
    parser.add_argument("build")
    parser.add_argument("--libomp", default="")
    parser.add_argument("--work", default="/tmp/ocb-gcc-suite")
    parser.add_argument("--only", default="*")
    parser.add_argument("--ways", default="")
    arguments = parser.parse_args()
    suite = Suite(arguments)
    suite.work.mkdir(parents=True, exist_ok=True)
    sources = pathlib.Path(arguments.sources).resolve()
    if sources.is_file():
        sources = unpack(sources, suite.work)
    wanted = [(path, language) for path, language in programs(sources)
              if fnmatch.fnmatch(path.name, arguments.only)]
    count, bad, left_out = 0, {}, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (path, language), differences in zip(wanted,
                                                 pool.map(lambda one: suite.judge(*one), wanted)):
            count += differences is not None
            for way, text in differences or []:
                if text is None:
                    left_out[way] += 1
                    continue
                bad.setdefault(way, []).append(path.name)
                print(f"{path.parent.name}/{path.name} ({language}), {way}: {text}", flush=True)
    print(f"{count} programs of {len(wanted)} run here")
    for way in suite.names:
        ran = count - left_out[way]
        print(f"{way}: {ran - len(bad.get(way, []))} of {ran} as natively")
    sys.exit(count == 0 or any(bad.values()))


if __name__ == "__main__":
    main()
