# SPDX-License-Identifier: Apache-2.0
#
# growth.py - how much work launcher commands have on saved runs of 10,000, 100,000 and 1,000,000
# rows (nodes, cells, samples, threads, locks), of shapes that are the worst: processor seconds and
# size of the output. A test counts instructions (HostileShape.*); this is for the table in
# tests/robustness/RESULTS.md.
#   python3 tests/report/growth.py build/ci/bin/ompcollect [SIZE...] [SHAPE...]
import json
import os
import resource
import subprocess
import sys
import tempfile

DEPTH = 4000  # of call paths; more is refused
SHAPES = ("deep-regions", "deep-functions", "tree", "wide", "regions", "samples", "threads", "locks")
FORMATS = ("text", "json", "csv", "callgrind", "firefox", "perfetto")


def run_of(shape, size):
    """A run with `size` rows of what the shape has many of."""
    thread_count = size if shape == "threads" else 8
    states = [2, 3, 9, 1, 4, 8]
    node_count = 200 if shape == "samples" else size
    nodes = []
    for i in range(node_count):
        parent = -1
        if shape in ("deep-regions", "deep-functions") and i % DEPTH:
            parent = i - 1
        elif shape == "tree" and i:
            parent = (i - 1) // 8
        elif shape == "wide" and i:
            parent = 0
        is_region = shape not in ("deep-functions", "tree", "wide") or (shape == "tree" and i % 8 == 0)
        nodes.append({"parent": parent, "source": "a.c:%d" % i, "offset": i,
                      "kind": "region" if is_region else "function", "entries": 3,
                      "function": "f%d" % i, "module": "/lib/libc.so.6" if i % 3 else "/bin/x"})
    cells = {"thread": [i % thread_count for i in range(node_count)], "node": list(range(node_count)),
             "state": [states[i % 6] for i in range(node_count)], "wall": [0.01] * node_count,
             "cpu": [0.01] * node_count, "samples": [10] * node_count}
    samples = {"thread": [i % thread_count for i in range(size)],
               "node": [i * 7919 % node_count for i in range(size)],
               "state": [states[i % 6] for i in range(size)], "time_step_us": [1000] * size}
    threads = [{"number": i, "tid": i + 1, "is_initial": i == 0, "end": 100}
               for i in range(thread_count)]
    locks = [{"state": 9, "wait_id": i, "object": "o%d" % i, "waits": 5, "samples": 20, "wall": 0.1,
              "holders": [{"node": i, "place": "p%d" % i, "wall": 0.1, "samples": 20}]}
             for i in range(size if shape == "locks" else 0)]
    facts = {"pid": 42, "program": "/bin/x", "seconds": 100, "rate": 97, "processors": 4,
             "most_threads": 8, "stacks": "full", "has_cpu_times": True}
    return {"format": "ompcollect-run", "version": 1,
            "processes": [{"facts": facts, "events": [], "threads": threads, "nodes": nodes,
                           "cells": cells, "locks": locks, "samples": samples}]}


def seconds_of(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    launcher = sys.argv[1]
    sizes = [int(word) for word in sys.argv[2:] if word.isdigit()] or [10**4, 10**5, 10**6]
    shapes = [word for word in sys.argv[2:] if not word.isdigit()] or SHAPES
    print("| shape | rows | file | diff |" + "".join(" %s |" % f for f in FORMATS))
    for shape in shapes:
        for size in sizes:
            with tempfile.TemporaryDirectory() as folder:
                saved = os.path.join(folder, "run.ompc")
                with open(saved, "w") as out:
                    json.dump(run_of(shape, size), out)
                row = "| %s | %d | %d kB | %.1f s |" % (
                    shape, size, os.path.getsize(saved) // 1000,
                    seconds_of([launcher, "diff", saved, saved]))
                for name in FORMATS:
                    made = os.path.join(folder, "out")
                    spent = seconds_of([launcher, "report", saved, "--all", "--format", name, "-o", made])
                    row += " %.1f s, %d kB |" % (spent, os.path.getsize(made) // 1000)
                print(row, flush=True)


if __name__ == "__main__":
    main()
