# SPDX-License-Identifier: Apache-2.0
"""run_of(THREADS, SECONDS): a run in JSON, of a program with many regions, call paths and samples."""
import random

RATE, REGIONS, DEPTH = 97, 20, 6
OVHD, WORK, IBAR, IDLE, SERIAL, CTWT = 1, 2, 3, 5, 6, 9  # as omp_collector_api.h has them


def run_of(threads, seconds):
    """Steps of a program: a serial part, then a region in which threads work unevenly and wait."""
    chance = random.Random(1)
    nodes = [{"parent": -1, "kind": "function", "function": "main", "source": "program.c:1", "offset": 1, "module": "/bin/program"}]
    leaves = []
    for region in range(REGIONS):
        own = len(nodes)
        nodes.append({"parent": 0, "kind": "region", "function": f"step_{region}", "source": f"program.c:{100 * region + 7}", "offset": 100 * region,
                      "module": "/bin/program", "entries": 100, "masters": 1})
        of_region = []
        for path in range(4):
            parent = own
            for depth in range(DEPTH):
                nodes.append({"parent": parent, "kind": "function", "function": f"kernel_{region}_{path}_{depth}", "source": f"kernel.c:{100 * region + 10 * path + depth}",
                              "offset": 100 * region + 10 * path + depth, "module": "/bin/program"})
                parent = len(nodes) - 1
                of_region.append(parent)
        leaves.append((own, of_region))
    samples = {"thread": [], "node": [], "state": [], "time_step_us": []}
    sums, now, region, left = {}, 0.0, 0, 0
    places = [0] * threads
    slow = 0
    before = 0
    for tick in range(int(seconds * RATE)):
        if left <= 0:
            region, left, slow = chance.randrange(REGIONS), chance.randrange(20, 400), chance.randrange(threads)
            length = left
        left -= 1
        own, paths = leaves[region]
        for thread in range(threads):
            if left > length * 0.95:
                node, state = (0, SERIAL) if thread == 0 else (-1, IDLE)
            elif left < length * (0.05 + 0.4 * (thread != slow) * ((thread * 7 + region) % 10) / 10):
                node, state = own, IBAR
            else:
                if chance.random() < 0.3:
                    places[thread] = chance.randrange(len(paths))
                node = paths[places[thread]]
                state = CTWT if chance.random() < 0.02 else OVHD if chance.random() < 0.01 else WORK
            at = int((now + (thread + chance.random()) / threads / RATE) * 1e6)
            samples["thread"].append(thread)
            samples["node"].append(node)
            samples["state"].append(state)
            samples["time_step_us"].append(max(0, at - before))
            before = max(before, at)
            sums[thread, node, state] = sums.get((thread, node, state), 0) + 1
        now += 1 / RATE
    keys = sorted(sums)
    cells = {"thread": [key[0] for key in keys], "node": [key[1] for key in keys], "state": [key[2] for key in keys],
             "wall": [sums[key] / RATE for key in keys], "cpu": [sums[key] / RATE for key in keys], "samples": [sums[key] for key in keys]}
    facts = {"pid": 42, "program": "/bin/program", "seconds": seconds, "rate": RATE, "processors": threads, "most_threads": threads, "stacks": "full",
             "has_cpu_times": True}
    own = [{"number": i, "tid": 42 + i, "is_initial": i == 0, "end": seconds} for i in range(threads)]
    return {"format": "ompcollect-run", "version": 1, "processes": [{"facts": facts, "events": [], "threads": own, "nodes": nodes, "cells": cells,
                                                                    "locks": [], "samples": samples}]}
