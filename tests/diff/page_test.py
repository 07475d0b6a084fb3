# SPDX-License-Identifier: Apache-2.0
"""page_test.py OMPCOLLECT FOLDER - what the page of a comparison does in a browser. FOLDER has saved
runs of two builds (made_diff_files.cpp). Numbers are those of the JSON export.
"""
import glob
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report", "browser"))
sys.argv[2] = os.path.abspath(sys.argv[2])

import pages  # noqa: E402
from palette_test import LEAST_CONTRAST, LEAST_DIFFERENCE, SIMULATIONS, TEXT_ON_STATES, contrast, difference, lab, seen  # noqa: E402

RULES = ["--fail-if", "elapsed > +5%", "--fail-if", "efficiency < -90pt"]


def diff(form, *more):
    side = lambda name: sorted(glob.glob(f"{pages.RUNS}/{name}*.ompc"))
    return subprocess.run([pages.OMPCOLLECT, "diff", "-f", form, *more, *side("before"), "--", *side("after")],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False).stdout.decode()


class Comparison(pages.Pages):
    def setUp(self):
        path = os.path.join(pages.WORK.name, "diff.html")
        with open(path, "w", encoding="utf-8") as out:
            out.write(diff("html", *RULES))
        self.page = self.browser.open(path)
        self.addCleanup(self.page.close)

    def texts(self, selector):
        return self.page.eval(f"[...document.querySelectorAll({selector!r})].map(each => each.textContent)")

    def test_rows_are_those_of_the_export_by_size(self):
        rows = [row for row in json.loads(diff("json"))["rows"] if sum(row["before"]) + sum(row["after"]) > 0]
        shown = self.texts("#rows tbody tr")
        self.assertEqual(len(shown), len(rows))
        self.assertIn(rows[0]["name"], shown[0])
        self.assertEqual(len(self.texts("#rows tr.certain")), sum(row["certain"] for row in rows))
        self.page.eval("document.querySelector('#certain').click()")
        self.assertEqual(len(self.texts("#rows tbody tr")), sum(row["certain"] for row in rows))

    def test_a_heading_sorts(self):
        self.page.eval("[...document.querySelectorAll('#rows th button')].find(each => each.textContent === 'name').click()")
        names = [text.split(",")[0] for text in self.texts("#rows td:nth-last-child(2)")]
        self.assertEqual(names, sorted(names))

    def test_rules_and_differences_are_there(self):
        rules = self.texts("#rules li")
        self.assertTrue(rules[0].startswith("broken elapsed > +5%: +"), rules)
        self.assertTrue(rules[1].startswith("held efficiency < -90pt"), rules)
        self.assertIn("build-id", self.texts("#differs dt"))
        self.assertEqual(self.texts("#totals td:first-child"), ["elapsed", "efficiency", "processor time"])

    def test_the_flame_graph_has_both_sides(self):
        names = lambda: self.texts("#flame g.frame .d3-flame-graph-label")
        self.assertTrue(any(text.startswith("smooth  +5") for text in names()), names())
        self.assertTrue(any(text == "solve made.c:37 [region]  new" for text in names()), names())
        for graph, least in (("before", 7), ("after", 9)):
            self.page.eval(f"document.querySelector('#graph').value = '{graph}'; showFlame()")
            self.assertFalse(any("%" in text for text in names()))
            self.assertGreaterEqual(len(names()), least)

    def test_the_scale_is_told_apart_by_all_eyes(self):
        colours = self.page.eval("data.shades.map(shade => shade.colour)")
        for colour in colours:
            self.assertGreaterEqual(contrast(colour, TEXT_ON_STATES), LEAST_CONTRAST, colour)
        for i, one in enumerate(colours):
            for other in colours[i + 1:]:
                for eyes, matrix in SIMULATIONS.items():
                    apart = difference(lab(seen(one, matrix)), lab(seen(other, matrix)))
                    self.assertGreaterEqual(apart, LEAST_DIFFERENCE, f"{one} and {other} for {eyes}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
