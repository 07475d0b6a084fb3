# SPDX-License-Identifier: Apache-2.0
"""view_test.py OMPCOLLECT WITHOUT_NCURSES FOLDER [TEST...] - `ompcollect view` on a terminal.

FOLDER has saved runs (made_run_files.cpp). WITHOUT_NCURSES is the same program of a build without
that library. Figures must be those of the JSON. Each run has a size of the screen; with
VIEW_TEST_PROGRAMS ("program argument|program") each has every size, and these are run and walked,
too.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import termios
import unittest

from terminal import Terminal

OMPCOLLECT, WITHOUT_NCURSES, RUNS = (os.path.abspath(word) for word in sys.argv[1:4])
SIZES = ((80, 24), (120, 40))
PROGRAMS = [word.split() for word in os.environ.get("VIEW_TEST_PROGRAMS", "").split("|") if word]
PAGES = ("Verdict", "Regions", "Threads", "States", "Call tree", "Lines")
REGIONS, THREADS, STATES, CALLS, LINES = "23456"


def with_sizes(names):
    """Each name with a size, one after the other; in the long form with each size."""
    return [(name, size) for i, name in enumerate(names) for k, size in enumerate(SIZES) if PROGRAMS or k == i % len(SIZES)]


def file_of(name):
    return os.path.join(RUNS, name + ".ompc")


def view(name, columns=80, rows=24, *more, **settings):
    return Terminal([OMPCOLLECT, "view", *more, name if os.path.isabs(name) else file_of(name)], columns, rows, **settings)


def json_of(name):
    done = subprocess.run([OMPCOLLECT, "report", "--format", "json", name if os.path.isabs(name) else file_of(name)], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def duration(seconds):
    if seconds == 0 or seconds >= 100:
        return f"{seconds:.0f} s"
    if seconds >= 0.1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} us"


def percent(share):
    return f"{share * 100:.0f} %" if share * 100 >= 9.95 else f"{share * 100:.1f} %"


def place_of(nodes, finding):
    """The end of its place: a function without a name has the one in its file, as in the text."""
    node = nodes[finding["node"]] if finding["node"] >= 0 else {}
    is_nameless = node.get("module") and not node["source"]
    return f"{os.path.basename(node['module'])}+0x{node['offset']:x}" if is_nameless else finding["place"][-12:]


def rows_of(at):
    """The rows of the list, without the head above and what is told of one below."""
    lines = at.lines()
    rule = next(i for i, line in enumerate(lines) if line.startswith("----"))
    return [line for line in lines[5:rule] if line]


def cursor_row(at):
    """The row in reverse letters, between the head's and the keys'."""
    for y in range(5, at.screen.lines - 1):
        if at.screen.buffer[y][0].reverse:
            return at.lines()[y]
    return None


class Figures(unittest.TestCase):
    """What each page shows is what the JSON has."""

    def check(self, name, columns, rows):
        run = json_of(name)
        process, states = run["processes"][0], run["states"]
        cells, figures, nodes = process["cells"], process["figures"], process["nodes"]
        with view(name, columns, rows) as at:
            if figures["samples"] >= 10:
                self.assertIn(percent(figures["parallel_efficiency"]), at.lines()[1])
            self.assertIn(duration(sum(cells["wall"])), at.lines()[3])
            shown = rows_of(at)
            for finding, line in zip(process["findings"], shown):
                self.assertIn(duration(finding["seconds"]), line)
                self.assertIn(percent(finding["share"]), line)
                self.assertIn(place_of(nodes, finding), line)
            if process["findings"]:
                self.assertIn("cure: " + process["findings"][0]["cure"][:40], at.text())
            at.press(REGIONS)
            shown = rows_of(at)
            regions = sorted((one for one in figures["regions"]), key=lambda one: -one["potential_gain"])
            for region, line in zip(regions, shown):
                # Regions of one gain are in any order.
                self.assertEqual(line[:10].strip(), duration(region["potential_gain"]))
            by_text = {duration(one["potential_gain"]) + duration(one["seconds"]) + f"{nodes[one['node']]['entries'] if one['node'] >= 0 else 0:,}" for one in regions}
            for line in shown:
                self.assertIn(line[:10].strip() + line[10:20].strip() + line[20:30].strip(), by_text)
            at.press(THREADS)
            sums = [0.0] * len(process["threads"])
            for thread, wall in zip(cells["thread"], cells["wall"]):
                sums[thread] += wall
            total = at.lines()[4].index("total") + len("total")
            for line, wall in zip(rows_of(at), sums):
                self.assertEqual(line[total - 9:total].strip(), duration(wall))
            at.press(STATES)
            by_state = {}
            for state, wall in zip(cells["state"], cells["wall"]):
                by_state[states[state]] = by_state.get(states[state], 0) + wall
            shown = rows_of(at)
            self.assertEqual(len(shown), len([wall for wall in by_state.values() if wall > 0]))
            for line in shown:
                state = re.search(r"  ([A-Z?0-9]+)  ", line)[1]
                self.assertEqual(line[:10].strip(), duration(by_state[state]))
                self.assertEqual(line[10:18].strip(), percent(by_state[state] / sum(by_state.values())))
            at.press(CALLS)
            idle = states.index("IDLE")
            busy = sum(wall for state, wall in zip(cells["state"], cells["wall"]) if state != idle)
            self.assertEqual(rows_of(at)[0][:10].strip(), duration(busy))
            at.press(LINES)
            for line, one in zip(rows_of(at), process.get("lines", [])):
                self.assertEqual(line[:10].strip(), duration(sum(one["by_state"].values())))
            at.press("q")
            self.assertEqual(at.end(), 0)

    def test_of_made_runs(self):
        for name, size in with_sizes(("samples", "contended-critical", "idle-in-region")):
            with self.subTest(name=name, size=size):
                self.check(name, *size)

    def test_of_real_programs(self):
        self.assertTrue(PROGRAMS, "VIEW_TEST_PROGRAMS names none")
        for name, size in with_sizes(("two-regions", "oversubscription", "lock-convoy", "task-flood")):
            with self.subTest(name=name, size=size):
                self.check(name, *size)
        with tempfile.TemporaryDirectory() as work:
            for program in PROGRAMS:
                path = os.path.join(work, os.path.basename(program[0]) + ".ompc")
                subprocess.run([OMPCOLLECT, "-o", path, *program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, cwd=work)
                for size in SIZES:
                    with self.subTest(program=program[0], size=size):
                        self.check(path, *size)


class Keys(unittest.TestCase):
    def test_a_region_narrows_all_pages_until_escape(self):
        run = json_of("two-regions")
        process = run["processes"][0]
        regions = {process["nodes"][one["node"]]["function"]: one for one in process["figures"]["regions"]}
        with view("two-regions") as at:
            at.press(REGIONS, "/", *"queue", "enter")
            self.assertIn("queue", cursor_row(at))
            at.press("enter")
            self.assertIn("Selected region queue made.c:70: " + duration(regions["queue"]["seconds"]), at.lines()[3])
            self.assertTrue([line for line in rows_of(at) if " >queue" in line])
            at.press(STATES)
            shown = {line.split("  ")[-2]: line[:10].strip() for line in rows_of(at)}
            self.assertEqual(shown, {state: duration(wall) for state, wall in regions["queue"]["by_state"].items()})
            at.press(THREADS, "end", "enter")
            self.assertIn("thread 3", at.lines()[3])
            at.press(CALLS)
            self.assertFalse([line for line in rows_of(at) if "uneven" in line])
            self.assertTrue([line for line in rows_of(at) if "queue" in line])
            at.press("escape")
            self.assertIn("All of the run", at.lines()[3])
            self.assertTrue([line for line in rows_of(at) if "uneven" in line])

    def test_a_second_enter_takes_the_choice_out(self):
        with view("samples") as at:
            at.press(THREADS, "down", "enter")
            self.assertIn("Selected thread 1", at.lines()[3])
            at.press("enter")
            self.assertIn("All of the run", at.lines()[3])

    def test_branches_open_and_close_and_a_search_opens_them(self):
        with view("samples") as at:
            at.press(CALLS, "home", "left")
            self.assertEqual(len(rows_of(at)), 1)
            self.assertIn("+ made", rows_of(at)[0])
            at.press("/", *"SLOW", "enter")
            self.assertIn("slow", cursor_row(at))
            self.assertIn("1 of ", at.lines()[-1])
            at.press("left", "left")
            self.assertNotIn("slow", cursor_row(at))
            at.press("home", "left", "*")
            everything = len(rows_of(at))
            at.press("left", "right")
            self.assertEqual(len(rows_of(at)), everything)
            at.press("/", *"no such name", "enter")
            self.assertIn("No name on this page", at.lines()[-1])

    def test_pages_turn_and_rows_are_sorted(self):
        with view("triangle") as at:
            for page in (*PAGES[1:], PAGES[0]):
                at.press("tab")
                self.assertIn(page + "]", at.lines()[2])
            at.press("back-tab")
            self.assertIn("Lines]", at.lines()[2])
            at.press(THREADS)
            self.assertIn("thread 0", rows_of(at)[0])
            at.press("s")
            self.assertIn("work*", at.lines()[4])
            self.assertIn("thread 3", rows_of(at)[0])

    def test_the_help_has_each_key_and_the_window_may_change(self):
        with view("samples") as at:
            at.press("?")
            for key in ("Tab", "Enter", "Esc", "right, left", "/", "n, N", "s ", "p, P", "q "):
                self.assertIn(key, at.text())
            at.press("x")
            at.resize(120, 40)
            self.assertEqual(at.lines()[39][:5], " ? ke")
            at.resize(30, 8)
            self.assertIn("too small", at.text())
            at.resize(80, 24)
            self.assertEqual(at.lines()[23][:5], " ? ke")


class Odd(unittest.TestCase):
    """Runs and terminals that are not as usual."""

    def test_names_of_10_kb_with_controls_are_harmless(self):
        for name, size in with_sizes(["controls"]):
            with view(name, *size) as at:
                for key in "123456":
                    at.press(key)
                    self.assertEqual(len(at.lines()), size[1])
                    self.assertIn("]", at.lines()[2], "the head stays")
                    self.assertIn("----", at.text())
                    at.press("end", "home")
                self.assertIn(r"\x1b", at.text())
                self.assertNotIn("taken", at.screen.title)
                at.press(CALLS, "enter", "down", "down", "enter")
                self.assertEqual(at.lines()[0][:2], " a")
            for wrong in (b"\x1b]0;", b"\x07", b"\x1b[31m"):
                self.assertNotIn(wrong, at.bytes)

    def test_runs_without_stacks_of_one_sample_and_with_markup(self):
        for name, size in with_sizes(("no-stacks", "one-sample", "markup")):
            with self.subTest(name), view(name, *size) as at:
                for key in "123456":
                    at.press(key, "end", "enter", "escape")
                    self.assertIn("----", at.text())
                if name == "one-sample":
                    self.assertIn("1 sample nobody can tell", at.lines()[1])
                at.press("q")
                self.assertEqual(at.end(), 0)

    def test_ten_thousand_regions(self):
        with view("many-regions") as at:
            at.press(REGIONS)
            self.assertIn("of 10,000 ", at.text())
            at.press("/", *"region9876", "enter")
            self.assertIn("region9876 made.c:9877", cursor_row(at))
            at.press("end")
            self.assertIn(" 10,000 of 10,000 ", at.text())
            at.press(CALLS, "/", *"region9876", "enter")
            self.assertIn("region9876", cursor_row(at))

    def test_several_processes_are_turned_through(self):
        with Terminal([OMPCOLLECT, "view", file_of("imbalance"), file_of("triangle")]) as at:
            self.assertIn("process 1 of 2", at.lines()[0])
            at.press("p")
            self.assertIn("process 2 of 2", at.lines()[0])
            at.press("P")
            self.assertIn("process 1 of 2", at.lines()[0])

    def test_the_terminal_is_as_before_after_quit_and_interrupt(self):
        for key, code in (("q", 0), ("\x03", 1)):
            with view("samples") as at:
                os.write(at.fd, key.encode())
                while at.drain(0.01):
                    pass
                self.assertEqual(at.end(), code)
                self.assertEqual(termios.tcgetattr(at.fd), at.settings)

    def test_without_a_terminal_there_is_one_line_with_cause_and_cure(self):
        done = subprocess.run([OMPCOLLECT, "view", file_of("samples")], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, done.stdout), (125, b""))
        self.assertRegex(done.stderr.decode(), r"^ompcollect: view needs a terminal.*; ompcollect report [^\n]*\n$")
        for name, cause in (("dumb", "cannot place its cursor"), ("", "TERM is not set"), ("no-such-terminal", "knows no terminal")):
            with view("samples", environment={"TERM": name}) as at:
                self.assertEqual(at.end(), 125)
                self.assertRegex("".join(at.screen.display), "^ompcollect: .*" + cause + ".*; .*")
                self.assertEqual(at.bytes.count(b"\n"), 1)

    def test_a_build_without_ncurses_says_so(self):
        with Terminal([WITHOUT_NCURSES, "view", file_of("samples")]) as at:
            self.assertEqual(at.end(), 125)
            self.assertRegex("".join(at.screen.display), "^ompcollect: view is not in this build.*libncurses-dev.*")

    def test_a_run_that_is_none(self):
        with view("/nonexistent.ompc") as at:
            self.assertEqual(at.end(), 125)
            self.assertIn("No such file", at.text())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
