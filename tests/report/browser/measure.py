# SPDX-License-Identifier: Apache-2.0
"""measure.py OMPCOLLECT [THREADS SECONDS]... - the figures of docs/PAGE.md.

Of made runs at 97 samples a second: the size of the page, the time to its first picture, and how
long a step of the wheel takes over the time line. Without numbers: 4.6 MB of samples (8 threads,
580 s), and 10 minutes of 64 threads. Nothing is judged: the machine decides.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

from browser import Browser

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


WHEEL = """(async () => {
  const steps = [], canvas = document.getElementById("timeline"), box = canvas.getBoundingClientRect();
  for (let i = 0; i < 60; ++i) {
    const begin = performance.now();
    canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: i % 30 < 15 ? -120 : 120, ctrlKey: true, clientX: box.left + 0.4 * box.width, clientY: box.top + 20, bubbles: true, cancelable: true}));
    await new Promise(done => requestAnimationFrame(() => { const drawn = document.getElementById("timeline").getContext("2d").getImageData(0, 0, 1, 1); setTimeout(done, 0); }));
    steps.push(performance.now() - begin);
  }
  return steps.sort((a, b) => a - b);
})()"""


def main(ompcollect, *numbers):
    pairs = list(zip(map(int, numbers[::2]), map(float, numbers[1::2]))) or [(8, 580.0), (64, 600.0)]
    with tempfile.TemporaryDirectory() as work:
        for threads, seconds in pairs:
            run, page = os.path.join(work, "run.json"), os.path.join(work, "run.html")
            made = run_of(threads, seconds)
            count = len(made["processes"][0]["samples"]["thread"])
            with open(run, "w", encoding="ascii") as out:
                json.dump(made, out)
            del made
            begin = time.monotonic()
            subprocess.run([ompcollect, "report", run, "--format", "html", "-o", page], check=True)
            written = time.monotonic() - begin
            pictures = []
            for _ in range(3):
                with Browser() as browser:
                    begin = time.monotonic()
                    at = browser.open(page)
                    ready = time.monotonic() - begin
                    paint = at.eval("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1")
                    pictures.append((paint / 1e3, ready))
                    steps = at.eval(WHEEL)
            paint, ready = sorted(pictures)[1]
            print(f"{threads} threads, {seconds:.0f} s, {count:,} samples: page {os.path.getsize(page) / 1e6:.1f} MB, made in {written:.1f} s; "
                  f"first picture {paint:.2f} s, all there {ready:.2f} s; wheel step median {steps[30]:.0f} ms, worst {steps[-1]:.0f} ms", flush=True)


main(*sys.argv[1:])
