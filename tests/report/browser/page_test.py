# SPDX-License-Identifier: Apache-2.0
"""page_test.py OMPCOLLECT FOLDER [TEST...] - what a run's page does in a browser.

The page of each saved run is made, opened in a headless Chromium and used. Here are sources, paper
and bad input; page_selection.py has mouse and keys, page_numbers.py the numbers.
"""
import base64
import io
import os
import sys
import unittest

try:
    import pypdf
except ImportError:  # its name before 3.0
    import PyPDF2 as pypdf

from page_numbers import Numbers  # noqa: F401 - unittest finds it here
from page_selection import Flame, Keys, Selection  # noqa: F401
from pages import RUNS, Pages, file_of, page_of


class Sources(Pages):
    """--with-source: the region's panel shows its lines in their files."""

    def test_lines_stand_in_their_text_with_their_time(self):
        page = self.browser.open(page_of(file_of("sources"), "--with-source"))
        self.addCleanup(page.close)
        page.click("#regions tbody tr")
        self.assertEqual(page.eval("[...document.querySelectorAll('#region-source h4')].map(at => at.textContent)"), ["here.c"])
        with open(os.path.join(RUNS, "here.c"), encoding="utf-8") as lines:
            text = [line.rstrip("\n").replace("\x1b", "\\x1b") for line in lines]
        shown = page.eval("[...document.querySelectorAll('#region-source tr')].filter(row => row.cells.length > 1).map(row => [Number(row.cells[0].textContent), row.cells[1].dataset.value ?? null, row.cells[2].textContent])")
        self.assertEqual([number for number, _, _ in shown], [*range(1, 8), *range(16, 25)])
        for number, _, words in shown:
            self.assertEqual(words, text[number - 1])
        sums = {row["line"]: row["total"] for row in page.table("region-lines")}
        self.assertEqual({f"here.c:{number}": float(value) for number, value, _ in shown if value is not None},
                         {line: total for line, total in sums.items() if line.startswith("here.c")})
        notes = page.text("#region-source-notes")
        self.assertIn("gone.c: No such file", notes)
        self.assertIn("twice.c: 2 files have this name", notes)
        self.assertNotIn("newer", notes)
        self.assertEqual(page.eval("document.querySelectorAll('#region-source b').length"), 0)
        self.assertEqual(page.complaints(), [])

    def test_files_newer_than_the_program_and_pages_without_sources_say_so(self):
        page = self.browser.open(page_of(file_of("old-sources"), "--with-source"))
        self.addCleanup(page.close)
        page.click("#regions tbody tr")
        self.assertIn("here.c is newer than the program", page.text("#region-source-notes"))
        page = self.open("sources")
        page.click("#regions tbody tr")
        self.assertIn("--with-source keeps it", page.text("#region-source-notes"))
        self.assertEqual(page.eval("document.querySelectorAll('#region-source tr').length"), 0)


class Paper(Pages):
    def words_of(self, page):
        """What stands on paper, without spaces: letters are placed one by one."""
        pdf = base64.b64decode(page.call("Page.printToPDF", {"printBackground": True})["data"])
        sheets = pypdf.PdfReader(io.BytesIO(pdf)).pages
        return len(sheets), "".join("".join(sheet.extract_text() for sheet in sheets).split())

    def test_all_is_on_paper_and_nothing_is_cut_off(self):
        run, page = self.process("samples")["processes"][0], self.open("samples")
        # The library places frames in timers of the browser, which a busy machine has late.
        page.until("document.querySelector('#flame .frame rect') && [...document.querySelectorAll('#flame .frame')].every(at => at.hasAttribute('transform') && at.querySelector('rect').getAttribute('width') > 0)")
        page.settled()
        sheets, words = self.words_of(page)
        self.assertIn(sheets, (2, 3))
        for finding in run["findings"]:
            for part in ("place", "cause", "evidence", "cure"):
                self.assertIn("".join(finding[part].split()), words)
        frames = page.eval("(() => { const names = []; const walk = at => { names.push(at.name); at.children.forEach(walk); }; walk(tree); return names; })()")
        graph = words[words.index("Flamegraph"):words.index("Timeofallthreads")]
        for name in frames:
            self.assertIn("".join(name.split()), graph, "the graph is as wide as the paper")
        for table in ("states", "regions", "blame", "threads", "lines"):
            shown = page.eval(f"[...document.querySelectorAll('#{table} th, #{table} td')].map(at => at.textContent)")
            for cell in shown:
                self.assertIn("".join(cell.split()), words, f"{table}: {cell}")
        self.assertNotIn("Wholegraph", words, "buttons are for the screen")
        # Back on the screen all is as before; the page hears of it behind the answer.
        page.until("!document.querySelector('#flame svg').hasAttribute('viewBox')")
        self.assertEqual(page.complaints(), [])

    def test_a_selection_and_long_names_are_on_paper(self):
        page = self.open("samples")
        page.click("#regions tbody tr")
        _, words = self.words_of(page)
        self.assertIn("Selected", words)
        self.assertIn("Calledby", words)
        _, words = self.words_of(self.open("markup"))
        self.assertIn("Sourcelines", words)


class BadInput(Pages):
    def test_without_stacks_there_are_tables_and_no_time_line(self):
        page = self.open("no-stacks", "#from=0.1&to=0.2")
        self.assertTrue(page.eval("document.getElementById('timeline-frame').hidden"))
        self.assertIn("not known", page.text("#timeline-about"))
        self.assertIn("passed over", page.text("#selection"))
        self.assertEqual(len(page.table("states")), 3)
        page.eval("select({region: -3})")
        page.settled()
        self.assertAlmostEqual(page.value("#flame"), 1, 9)
        self.assertEqual(page.complaints(), [])

    def test_one_sample_is_a_picture(self):
        page = self.open("one-sample")
        self.assertEqual(page.eval("timeline.key.filter(key => key >= 0).length"), 1)
        page.click("#regions tbody tr")
        self.assertAlmostEqual(page.value("#flame"), 0.01, 9)
        self.assertEqual(page.complaints(), [])

    def test_ten_thousand_regions_are_shown_in_part_and_all_can_be_had(self):
        page = self.open("many-regions")
        self.assertEqual(page.eval("document.querySelectorAll('#regions tbody tr').length"), 200)
        self.assertLess(page.eval("document.querySelectorAll('#flame g').length"), 3000)
        page.click("#regions caption button")
        self.assertEqual(page.eval("document.querySelectorAll('#regions tbody tr').length"), 10000)
        page.eval("select({region: 9999})")
        page.settled()
        self.assertAlmostEqual(page.value("#flame"), 0.02, 9)
        # Also where it is none of the rows that are shown.
        self.assertEqual([row["key"] for row in page.table("regions") if row["selected"] == "true"], ["9999"])
        self.assertEqual(page.complaints(), [])

    def test_markup_in_names_is_text_and_does_not_widen_the_page(self):
        page = self.open("markup")
        self.assertEqual(page.eval("[document.images.length, document.querySelectorAll('main b:not(.tile b)').length]"), [0, 0])
        self.assertIn("<img src=x onerror=alert(1)>", page.text("#regions"))
        page.click("#regions tbody tr")
        page.type("#flame-search", "<img")
        self.assertNotIn("0 frames", page.text("#flame-matches"))
        self.assertLessEqual(page.eval("document.documentElement.scrollWidth"), 1300)
        self.assertEqual(page.complaints(), [])

    def test_without_scripts_the_report_is_there_as_text(self):
        for name in ("samples", "markup"):
            page = self.browser.open(page_of(file_of(name)), scripts=False)
            # The test's own look is no script of the page.
            page.call("Emulation.setScriptExecutionDisabled", {"value": False})
            self.assertTrue(page.eval("document.getElementById('page').hidden"))
            text = page.eval("document.querySelector('noscript pre').textContent")
            self.assertIn("Verdict:", text)
            self.assertEqual(page.eval("document.querySelectorAll('noscript img, noscript b').length"), 0)
            self.assertGreater(page.eval("document.querySelector('noscript pre').getBoundingClientRect().height"), 100)
            page.close()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
