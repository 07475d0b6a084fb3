# SPDX-License-Identifier: Apache-2.0
"""job_page_test.py OMPCOLLECT MADE_RANKS - what a job's page does in a browser.

MADE_RANKS makes ranks that never ran; their page is opened in a headless Chromium and used by mouse
and keys. Its numbers must be those of the JSON and the CSV.
"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../report/browser"))
from browser import Browser  # pylint: disable=wrong-import-position

OMPCOLLECT, MADE_RANKS = (os.path.abspath(word) for word in sys.argv[1:3])
RANKS, LATE = 48, 24  # made-ranks takes the middle one
WORK = tempfile.TemporaryDirectory()


def report(job, form, *more):
    return subprocess.run([OMPCOLLECT, "report", job, "--format", form, *more], stdout=subprocess.PIPE, check=True).stdout.decode()


def made_job(ranks, paths):
    folder = os.path.join(WORK.name, f"made-{ranks}.ompc")
    os.mkdir(folder)
    subprocess.run([MADE_RANKS, folder, str(ranks), str(paths), "4"], check=True)
    return folder


class JobPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        job = made_job(RANKS, 30)
        cls.json = json.loads(report(job, "json"))
        cls.rows = list(csv.DictReader(io.StringIO(report(job, "csv"))))
        cls.file = os.path.join(WORK.name, "job.html")
        report(job, "html", "-o", cls.file)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.__exit__)

    def setUp(self):
        self.page = self.browser.open(self.file)
        self.addCleanup(self.page.close)

    def tearDown(self):
        self.assertEqual(self.page.complaints(), [])

    def click_at(self, x, y):
        """Where the element is since the page was scrolled: what is hit is known after the next frame."""
        self.page.after_frames()
        for kind in ("mousePressed", "mouseReleased"):
            self.page.mouse(kind, x, y)

    def click_row(self, row):
        """Of the map, from the top."""
        box = self.page.place("#map")
        self.click_at(box[2] + 20, box[3] + (row + 0.5) * box[5] / RANKS)

    def choose(self, selector, value):
        self.page.eval(f"(() => {{ const at = document.querySelector('{selector}'); at.value = '{value}'; at.onchange(); }})()")

    def shown_rank(self):
        return self.page.eval("document.getElementById('rank-section').hidden ? '' : document.getElementById('rank-name').textContent")

    def pixels(self):
        """Rows of colours; None where nothing is drawn."""
        flat = self.page.eval("""(() => { const at = document.getElementById('map');
            const copy = Object.assign(document.createElement('canvas'), {width: at.width, height: at.height}).getContext('2d');
            copy.drawImage(at, 0, 0);
            return [at.width, ...copy.getImageData(0, 0, at.width, at.height).data]; })()""")
        width, flat = flat[0], flat[1:]
        colours = [tuple(flat[i:i + 3]) if flat[i + 3] else None for i in range(0, len(flat), 4)]
        return [colours[i:i + width] for i in range(0, len(colours), width)]

    def colour(self, kind, name):
        text = self.page.eval(f"data.{kind}.find(each => each.name === '{name}').colour")
        return tuple(int(text[i:i + 2], 16) for i in (1, 3, 5))

    def test_head_and_findings_are_those_of_the_json(self):
        self.assertIn(f"{RANKS} ranks on {RANKS // 2} hosts", self.page.text("#facts"))
        shown = self.page.text("#findings")
        self.assertEqual(self.json["findings"][0]["rank"], LATE)
        for finding in self.json["findings"]:
            self.assertIn(finding["text"], shown)
            self.assertIn(finding["cure"], shown)
        self.page.eval("document.querySelector('#findings button').click()")
        self.assertEqual(self.shown_rank(), f"rank {LATE} on n{LATE // 2}")
        tile = self.page.text("#efficiency .tile.main")
        self.assertIn(f"{round(self.json['efficiency']['parallel'] * 100)} %", tile)

    def test_ranks_that_stand_out_are_those_of_the_json(self):
        shown = self.page.eval("[...document.querySelectorAll('#outliers li')].map(at => at.textContent)")
        self.assertEqual(shown, self.json["outliers"])
        self.assertIn(f"rank {LATE} on n{LATE // 2} has processors at 1800 MHz, the middle of all ranks is 2400 MHz", shown)
        self.page.eval("document.querySelector('#findings button').click()")
        self.assertIn(" processors at 1800 MHz,", self.page.text("#rank-facts"))

    def test_the_map_has_each_rank_by_state_and_by_class(self):
        # Of each rank's samples every second one is in MPI, the others work.
        rows = self.pixels()
        self.assertEqual(len(rows), RANKS)
        either = {self.colour("classes", "in MPI"), self.colour("classes", "works")}
        for row in rows:
            drawn = {colour for colour in row if colour}
            self.assertTrue(drawn and drawn <= either, drawn)
        shades = {}
        for value in ("class-2", "state-2", "class-5"):  # in MPI, WORK, idle
            self.choose("#map-what", value)
            shades[value] = {colour for row in self.pixels() for colour in row if colour}
        ground = (245, 245, 245)
        self.assertEqual(shades["class-5"], {ground}, "nobody is idle in a sample")
        for value, name, kind in (("class-2", "in MPI", "classes"), ("state-2", "WORK", "states")):
            full = self.colour(kind, name)
            self.assertNotIn(ground, shades[value])
            for shade in shades[value]:  # about half of the samples
                share = [(shade[i] - 245) / (full[i] - 245) for i in range(3) if full[i] != 245]
                self.assertTrue(all(0.6 < each < 0.8 for each in share), (value, shade, full))

    def test_a_click_on_a_row_shows_its_rank(self):
        self.click_row(5)
        self.assertEqual(self.shown_rank(), "rank 5 on n2")
        shown = self.page.eval("[...document.querySelectorAll('#rank-regions tbody tr')].map(at => [...at.cells].map(cell => cell.textContent))")
        own = [row for row in self.rows if row["rank"] == "5"]
        self.assertEqual(len(shown), len(own))
        for row in own:
            state = ("MPI, " if row["mpi"] == "1" else "") + row["state"]
            self.assertIn([row["region"], state, f"{float(row['seconds']):.2f} s"], shown)
        mark = self.page.eval("(() => { const at = document.getElementById('map-row').getBoundingClientRect(), map = document.getElementById('map').getBoundingClientRect(); return (at.top - map.top) / map.height; })()")
        self.assertAlmostEqual(mark * RANKS, 5, 1)

    def test_rows_are_ordered_and_the_late_rank_is_first(self):
        self.choose("#map-order", "computing time")
        self.click_row(0)
        self.assertEqual(self.shown_rank(), f"rank {LATE} on n{LATE // 2}")
        self.choose("#map-order", "rank")
        self.click_row(RANKS - 1)
        self.assertEqual(self.shown_rank(), f"rank {RANKS - 1} on n{(RANKS - 1) // 2}")

    def test_every_rank_can_be_chosen(self):
        for rank in range(RANKS):
            self.choose("#rank-number", rank)
            self.assertEqual(self.shown_rank(), f"rank {rank} on n{rank // 2}")
        self.click_at(*self.page.place("#ranks tbody tr[data-key='7']")[:2])
        self.assertEqual(self.shown_rank(), "rank 7 on n3")
        self.page.eval("document.querySelector(\"#ranks tbody tr[data-key='9']\").focus()")
        self.page.call("Input.dispatchKeyEvent", {"type": "keyDown", "key": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"})
        self.assertEqual(self.shown_rank(), "rank 9 on n4")

    def labels(self):
        return self.page.eval("[...document.querySelectorAll('#flame g.frame title')].map(at => at.textContent)")

    def test_a_frame_has_the_least_and_the_most_of_a_rank(self):
        labels = self.labels()
        checked = 0
        for node in self.json["tree"]["nodes"]:
            if node["function"] not in ("main", "solve", "MPI_Allreduce", "part_3"):
                continue
            mine = [label for label in labels if node["function"] in label.split(":")[0]]
            self.assertEqual(len(mine), 1, (node, labels))
            least, most = (f"{node[key]:.2f} s" if node[key] >= 1 else f"{1e3 * node[key]:.1f} ms" for key in ("min", "max"))
            self.assertIn(f"of a rank {least} to {most} (rank {node['max_rank']})", mine[0])
            self.assertLess(node["min"], node["max"])
            checked += 1
        self.assertEqual(checked, 4)

    def test_the_graph_is_searched_and_zoomed(self):
        width = "document.querySelectorAll('#flame g.frame')[0].getBoundingClientRect().width"
        whole, frames = self.page.eval(width), len(self.labels())
        self.page.eval("(() => { const at = document.getElementById('flame-search'); at.value = 'MPI_Allreduce'; at.oninput(); })()")
        marked = self.page.eval("[...document.querySelectorAll('#flame g.frame rect')].filter(at => at.getAttribute('fill') === '#ff8df0').length")
        self.assertEqual(marked, 1)
        at = self.page.eval("""(() => { const found = [...document.querySelectorAll('#flame g.frame')].find(g => g.querySelector('title').textContent.startsWith('MPI_Allreduce'));
            found.scrollIntoView({block: 'center'}); const box = found.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2, box.width]; })()""")
        self.assertLess(at[2], whole)
        self.click_at(at[0], at[1])
        zoomed = self.page.eval("[...document.querySelectorAll('#flame g.frame')].find(g => g.querySelector('title').textContent.startsWith('MPI_Allreduce')).getBoundingClientRect().width")
        self.assertAlmostEqual(zoomed, whole, 0)
        self.click_at(*self.page.place("#flame-reset")[:2])
        self.assertEqual(len(self.labels()), frames)

    def test_tables_are_sorted(self):
        region = self.json["regions"][0]
        shown = self.page.eval("[...document.querySelector('#regions tbody tr').cells].map(at => at.textContent)")
        self.assertEqual(shown, [region["name"], f"{region['seconds']:.2f} s", "0 \u00b5s", f"{region['min']:.2f} s", str(region["min_rank"]),
                                 f"{region['mean']:.2f} s", f"{region['max']:.2f} s", str(LATE)])
        self.page.eval("[...document.querySelectorAll('#ranks th button')].find(at => at.textContent === 'useful').click()")
        first = self.page.eval("document.querySelector('#ranks tbody tr').cells[0].textContent")
        self.assertEqual(first, f"rank {LATE} on n{LATE // 2}")


class LargeJob(unittest.TestCase):
    def test_of_a_thousand_ranks_each_is_there(self):
        path = os.path.join(WORK.name, "large.html")
        report(made_job(1000, 40), "html", "-o", path)
        self.assertLess(os.path.getsize(path), 10e6)
        with Browser() as browser:
            page = browser.open(path)
            self.assertEqual(page.eval("document.getElementById('map').height"), 1000)
            rows = "document.querySelectorAll('#ranks tbody tr').length"
            self.assertEqual(page.eval(rows), 100)
            page.eval("document.querySelector('#ranks caption button').click()")
            self.assertEqual(page.eval(rows), 1000)
            names = page.eval("""[...Array(1000).keys()].map(rank => { byId("rank-number").value = rank; byId("rank-number").onchange();
                return byId("rank-name").textContent; })""")
            self.assertEqual(names, [f"rank {rank} on n{rank // 2}" for rank in range(1000)])
            self.assertEqual(page.complaints(), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
