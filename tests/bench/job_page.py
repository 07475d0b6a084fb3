# SPDX-License-Identifier: Apache-2.0
"""job_page.py PAGE - how long each kind of action takes on the page of a job (docs/JOBS.md).

PAGE is what `ompcollect report JOB --format html` made. An action ends with the next picture. Each is
made five times; printed are the middle and the worst by the clock, and the middle of the processor
time of the page's thread, which other work on the machine does not lengthen. Nothing is judged.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../report/browser"))
from browser import Browser  # pylint: disable=wrong-import-position

# What a user does, as code that is run with i = 0 to 4.
ACTIONS = {
    "map by another class": "at('#map-what').selectedIndex = 1 + i, at('#map-what').onchange()",
    "rows in another order": "at('#map-order').selectedIndex = i % 4, at('#map-order').onchange()",
    "choose a rank": "at('#rank-number').value = data.ranks[Math.floor(i * (data.ranks.length - 1) / 4)].rank, at('#rank-number').onchange()",
    "sort the ranks": "document.querySelectorAll('#ranks th button')[2 + i].click()",
    "all rows of the ranks": "table('ranks', ['rank on host', 'threads'], data.ranks.map((r, k) => [rankName(k), r.threads]), i % 2 === 0)",
    "search the graph": "at('#flame-search').value = 'part_' + i, at('#flame-search').oninput()",
    "zoom the graph": "[...document.querySelectorAll('#flame g.frame')].at(i % 2 ? 0 : -1).dispatchEvent(new MouseEvent('click', {bubbles: true}))",
}
MEASURE = """(async i => {
  const at = selector => document.querySelector(selector), begin = performance.now();
  %s;
  await new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
  return performance.now() - begin;
})(%d)"""


def processor_time(page):
    return {each["name"]: each["value"] for each in page.call("Performance.getMetrics")["metrics"]}["TaskDuration"]


def main(path):
    with Browser() as browser:
        page = browser.open(path)
        print(f"page of {page.eval('data.ranks.length')} ranks, {os.path.getsize(path) / 1e6:.1f} MB, "
              f"there after {page.eval('performance.now()') / 1e3:.1f} s")
        page.call("Performance.enable", {"timeDomain": "threadTicks"})
        for name, code in ACTIONS.items():
            clock, processor = [], []
            for i in range(5):
                before = processor_time(page)
                clock.append(page.eval(MEASURE % (code, i)))
                processor.append(1e3 * (processor_time(page) - before))
            print(f"| {name} | {sorted(clock)[2]:.0f} ms | {max(clock):.0f} ms | {sorted(processor)[2]:.0f} ms |")


main(sys.argv[1])
