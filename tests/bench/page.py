# SPDX-License-Identifier: Apache-2.0
"""page.py OMPCOLLECT [THREADS SECONDS]... - how fast the page of a run is: docs/PAGE.md has the table.

Of made runs at 97 samples a second: the size of the page, the time to its first picture, and what a
step of the wheel over the time line takes; then, how long the answers to a user's questions take, a
click after the other. Without numbers: 450,080 samples (8 threads, 580 s), and 10 minutes of 64
threads. A step has two figures: until the picture is there, with up to a frame of waiting, and the
processor time of the page's own thread, which other work on the machine does not change. Nothing is
judged: the machine decides.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report", "browser"))
from browser import Browser  # noqa: E402
from large_run import run_of  # noqa: E402

ROUNDS, STEPS = 5, 60

# In and out again, by a factor of 15. The picture is there when a pixel of it can be read.
STEP = """new Promise(done => {
  const canvas = document.getElementById("timeline"), box = canvas.getBoundingClientRect(), begin = performance.now();
  canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: %d, ctrlKey: true, clientX: box.left + 0.4 * box.width, clientY: box.top + 20, bubbles: true, cancelable: true}));
  requestAnimationFrame(() => { canvas.getContext("2d").getImageData(0, 0, 1, 1); setTimeout(() => done(performance.now() - begin), 0); });
})"""


def thread_time(page):
    """Milliseconds of the page's thread so far."""
    return next(one["value"] for one in page.call("Performance.getMetrics")["metrics"] if one["name"] == "TaskDuration") * 1e3


def steps_of(page):
    """[(until the picture is there, processor time)], ms."""
    page.place("#timeline")
    page.call("Performance.enable", {"timeDomain": "threadTicks"})
    page.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    steps = []
    for i in range(STEPS):
        before = thread_time(page)
        took = page.eval(STEP % (-120 if i % 30 < 15 else 120))
        steps.append((took, thread_time(page) - before))
    return steps


def answer(page, question, action, selector):
    """How long a user waits for what the selector names."""
    begin = time.monotonic()
    action()
    took = time.monotonic() - begin
    words = " ".join(page.text(selector).split())
    if not words:
        raise RuntimeError(f"{question}: nothing is there")
    return question, took, words[:60]


def answers_of(page):
    def nothing():
        pass

    def drag():
        x, y, left, _, width, _ = page.place("#timeline")
        page.drag(left + 92 + (width - 92) * 0.25, y - 20, left + 92 + (width - 92) * 0.5)
    return [answer(page, "region that loses most", nothing, "#findings li"),
            answer(page, "thread that is late: 1 click", lambda: page.click("#findings button"), "#region-threads tbody tr"),
            answer(page, "line: no more", nothing, "#region-lines tbody tr"),
            answer(page, "callers: no more", nothing, "#region-callers tbody tr"),
            answer(page, "meanwhile: 1 more", lambda: page.click("#region-threads tbody tr:last-child"), "#timeline-about"),
            answer(page, "change over the run: a drag", drag, "#selection")]


def opened(path):
    """Seconds to the first picture and until all is there, the steps and the answers."""
    with Browser() as browser:
        begin = time.monotonic()
        page = browser.open(path)
        ready = time.monotonic() - begin
        page.until("performance.getEntriesByName('first-contentful-paint').length")
        paint = page.eval("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        return paint / 1e3, ready, steps_of(page), answers_of(page)


def measure(ompcollect, threads, seconds, work):
    run, page = os.path.join(work, "run.json"), os.path.join(work, "run.html")
    made = run_of(threads, seconds)
    count = len(made["processes"][0]["samples"]["thread"])
    with open(run, "w", encoding="ascii") as out:
        json.dump(made, out)
    del made
    begin = time.monotonic()
    subprocess.run([ompcollect, "report", run, "--format", "html", "-o", page], check=True)
    written = time.monotonic() - begin
    rounds = [opened(page) for _ in range(ROUNDS)]
    paints, readies = (sorted(column) for column in list(zip(*rounds))[:2])
    print(f"{threads} threads, {seconds:.0f} s, {count:,} samples: page {os.path.getsize(page) / 1e6:.1f} MB, made in {written:.1f} s; "
          f"first picture {paints[ROUNDS // 2]:.2f} s ({paints[0]:.2f} to {paints[-1]:.2f}), all there {readies[ROUNDS // 2]:.2f} s")
    for name, column in (("until the picture is there", 0), ("processor time", 1)):
        times = sorted(step[column] for one in rounds for step in one[2])
        first = statistics.median(one[2][0][column] for one in rounds)
        print(f"  wheel step, {name}: median {times[len(times) // 2]:.0f} ms, of a round's first {first:.0f} ms, worst {times[-1]:.0f} ms, "
              f"{sum(each <= 50 for each in times)} of {len(times)} at most 50 ms")
    for column in zip(*(one[3] for one in rounds)):
        print(f"  {column[0][0]}, {statistics.median(took for _, took, _ in column):.2f} s: {column[0][2]}", flush=True)


def main(ompcollect, *numbers):
    pairs = list(zip(map(int, numbers[::2]), map(float, numbers[1::2]))) or [(8, 580.0), (64, 600.0)]
    with tempfile.TemporaryDirectory() as work:
        for threads, seconds in pairs:
            measure(ompcollect, threads, seconds, work)


main(*sys.argv[1:])
