# SPDX-License-Identifier: Apache-2.0
"""time_line_test.py OMPCOLLECT FOLDER [TEST...] - what the time line of a run's page draws."""
import json
import os
import sys
import unittest

from large_run import run_of
from pages import WORK, Pages, page_of


def page_of_large(threads, seconds):
    path = os.path.join(WORK.name, f"large-{threads}.json")
    if not os.path.exists(path):
        with open(path, "w", encoding="ascii") as out:
            json.dump(run_of(threads, seconds), out)
    return page_of(path)


# Of each thread: the class's time that is drawn, the same from the pieces, and the largest difference of a pixel.
SUMS = """(() => {
  const width = 1138, states = bins.states, perPixel = (view.end - view.begin) / width, rows = [];
  const sums = new Float64Array(width * states), regions = new Int32Array(width), {begin, key, first} = timeline;
  for (let thread = 0; thread < process.threads.length; ++thread) {
    sumPixels(thread, width, sums, regions);
    const wanted = new Float64Array(width * states), drawn = new Float64Array(states), all = new Float64Array(states);
    for (let i = first[thread]; i < first[thread + 1] - 1; ++i) {
      if (key[i] < 0) continue;
      for (let x = Math.max(0, Math.floor((begin[i] - view.begin) / perPixel)); x < width && view.begin + x * perPixel < begin[i + 1]; ++x) {
        wanted[x * states + symbolClass[key[i]]] += Math.max(0, Math.min(begin[i + 1], view.begin + (x + 1) * perPixel) - Math.max(begin[i], view.begin + x * perPixel));
      }
    }
    let worst = 0, uneven = 0;
    const all_of = (times, x) => times.subarray(x * states, (x + 1) * states).reduce((sum, time) => sum + time, 0), is_full = x => all_of(wanted, x) > perPixel * (1 - 1e-6);
    for (let x = 1; x < width - 1; ++x) if (is_full(x - 1) && is_full(x) && is_full(x + 1)) uneven = Math.max(uneven, Math.abs(all_of(sums, x) - perPixel) / perPixel);
    wanted.forEach((time, i) => { drawn[i % states] += sums[i]; all[i % states] += time; worst = Math.max(worst, Math.abs(sums[i] - time)); });
    rows.push({drawn: [...drawn], all: [...all], worst, uneven, regions: [...new Set(regions)].length});
  }
  return {rows, isBins: hasBinsForPixels(width), bin: bins.length, perPixel};
})()"""

PAINTED = """(row => { const canvas = document.getElementById("timeline"), height = rowHeight();
  const seen = canvas.getContext("2d").getImageData(kLabel, row * height, canvas.width - kLabel, height - 2).data;
  let painted = 0; for (let i = 3; i < seen.length; i += 4) painted += seen[i] > 0; return painted / (seen.length / 4); })"""


class Drawing(Pages):
    def open_large(self, threads, seconds):
        page = self.browser.open(page_of_large(threads, seconds))
        self.addCleanup(page.close)
        return page

    def test_each_zoom_draws_the_time_of_the_pieces(self):
        page = self.open_large(6, 200.0)
        kinds = set()
        for zoom in (1, 2.5, 8, 40, 900):
            page.eval(f"setView(view.all * 0.413, view.all / {zoom})")
            seen = page.eval(SUMS)
            kinds.add(seen["isBins"])
            # Of a bin it is not known where in it a state was.
            least = 2 * seen["bin"] if seen["isBins"] else 0
            for row in seen["rows"]:
                self.assertGreater(sum(row["all"]), 0.9 * seen["perPixel"] * 1138, "threads are always in a state")
                self.assertLessEqual(row["worst"], least + 1e-6, zoom)
                self.assertLess(row["uneven"], 1e-3, "a pixel of full bins is full")
                for drawn, wanted in zip(row["drawn"], row["all"]):
                    self.assertAlmostEqual(drawn, wanted, delta=least + 1e-4)
        self.assertEqual(kinds, {True, False})
        self.assertEqual(page.complaints(), [])

    def test_regions_that_follow_each_other_differ_in_colour(self):
        page = self.open("two-regions-in-turn")
        colours = page.eval("""(() => { const canvas = document.getElementById("timeline"), band = canvas.getContext("2d").getImageData(kLabel, 1, canvas.width - kLabel, 1).data;
            const seen = []; for (let i = 0; i < band.length; i += 4) { const colour = [...band.slice(i, i + 3)].join(); if (band[i + 3] && seen.at(-1) !== colour) seen.push(colour); } return seen; })()""")
        self.assertEqual(len(colours), 4)
        self.assertEqual(len(set(colours)), 2)

    def test_many_changes_of_a_frame_are_one_picture(self):
        page = self.open_large(6, 200.0)
        drawn = page.eval("""new Promise(done => { let drawn = 0; const was = drawTimeline; drawTimeline = () => { ++drawn; was(); };
            for (let i = 0; i < 20; ++i) zoomBy(0.9);
            requestAnimationFrame(() => requestAnimationFrame(() => { drawTimeline = was; done(drawn); })); })""")
        self.assertEqual(drawn, 1)
        self.assertAlmostEqual(page.eval("(view.end - view.begin) / view.all"), 0.9 ** 20, 9)

    def test_rows_in_sight_are_drawn_and_the_axis_stays_in_sight(self):
        page = self.open_large(64, 4.0)
        frame = "document.getElementById('timeline-frame')"
        page.place("#timeline-frame")
        self.assertGreater(page.eval(PAINTED + "(0)"), 0.8)
        self.assertEqual(page.eval(PAINTED + "(62)"), 0)
        page.eval(f"{frame}.scrollTop = 10000")
        page.settled()
        self.assertEqual(page.eval(PAINTED + "(0)"), 0)
        self.assertGreater(page.eval(PAINTED + "(62)"), 0.8)
        page.eval(f"{frame}.scrollTop = 100")
        page.settled()
        left, bottom, width = page.eval(f"(() => {{ const at = {frame}.getBoundingClientRect(); return [at.left, at.bottom, at.width]; }})()")
        self.assertLess(bottom, 900, "it can be clicked at")
        page.click_at(left + width / 2, bottom - 8)
        self.assertEqual(page.eval("location.hash"), "", "the axis selects nothing")
        page.click_at(left + 20, bottom - 40)
        self.assertEqual(page.eval("selection.thread"), page.eval(f"Math.floor(({frame}.scrollTop + {frame}.clientHeight - 40) / rowHeight())"))
        page.eval("dispatchEvent(new Event('beforeprint'))")
        for row in (0, 62):
            self.assertGreater(page.eval(PAINTED + f"({row})"), 0.8, "on paper all are there")
        page.eval("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(page.eval(PAINTED + "(62)"), 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
