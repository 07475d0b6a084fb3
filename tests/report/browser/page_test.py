# SPDX-License-Identifier: Apache-2.0
"""page_test.py OMPCOLLECT FOLDER [TEST...] - what a run's page does in a browser.

The page of each saved run is made, opened in a headless Chromium and used by mouse and keys. Its
numbers must be those of the JSON and of the text, also for PAGE_TEST_PROGRAMS ("program
argument|program"), which are run.
"""
import base64
import io
import json
import os
import re
import subprocess
import sys
import unittest

import PyPDF2

from pages import OMPCOLLECT, RUNS, WORK, Pages, file_of, page_of, report


class Selection(Pages):
    """One selection, in every view and in the address."""

    def sum_of(self, run, keep):
        process, names = run["processes"][0], run["states"]
        cells, nodes = process["cells"], process["nodes"]

        def region(node):
            while node >= 0 and nodes[node]["kind"] != "region":
                node = nodes[node]["parent"]
            return nodes[node]["same_as"] if node >= 0 and nodes[node]["same_as"] >= 0 else node
        return sum(wall for thread, node, state, wall in zip(cells["thread"], cells["node"], cells["state"], cells["wall"])
                   if keep(thread, region(node), names[state]))

    def test_a_region_narrows_every_view_and_stands_in_the_address(self):
        run, page = self.process("samples"), self.open("samples")
        region = run["processes"][0]["figures"]["regions"][0]
        page.click(f"#regions tr[data-key='{region['node']}']")
        self.assertEqual(page.eval("location.hash"), f"#r={region['node']}")
        for view in ("#selected-time", "#flame"):
            self.assertAlmostEqual(page.value(view), region["seconds"], 9, view)
        self.assertEqual({row["state"]: row["wall"] for row in page.table("states")}, region["by_state"])
        self.assertAlmostEqual(sum(row["total"] for row in page.table("threads")), region["seconds"], 9)
        self.assertAlmostEqual(sum(row["total"] for row in page.table("lines")), region["seconds"], 9)
        self.assertEqual([row["key"] for row in page.table("regions") if row["selected"] == "true"], [str(region["node"])])
        shown = {int(part) for part in page.eval("[...new Set(symbolClass.map((kind, i) => kind < usedStates.length ? regionOf(timeline.node[i]) : null))].filter(x => x !== null)")}
        self.assertEqual(shown, {region["node"]})
        panel = page.eval("Object.fromEntries([...document.querySelectorAll('#region-facts dt')].map(at => [at.textContent, Number(at.nextSibling.dataset.value)]))")
        self.assertEqual(panel["instances"], run["processes"][0]["nodes"][region["node"]]["entries"])
        self.assertEqual(panel["potential gain"], region["potential_gain"])
        self.assertEqual(panel["thread time"], region["seconds"])
        waits = sum(row["barrier waits"] for row in page.table("region-threads"))
        self.assertAlmostEqual(waits, sum(wall for state, wall in region["by_state"].items() if state in ("IBAR", "EBAR")), 9)
        self.assertEqual(page.complaints(), [])

    def test_thread_and_state_join_it_and_back_takes_them_out(self):
        run, page = self.process("samples"), self.open("samples")
        page.click("#threads tr[data-key='1']")
        self.assertAlmostEqual(page.value("#flame"), self.sum_of(run, lambda thread, region, state: thread == 1), 9)
        page.click("#legend button[data-state='IBAR']")
        both = self.sum_of(run, lambda thread, region, state: thread == 1 and state == "IBAR")
        self.assertGreater(both, 0)
        self.assertAlmostEqual(page.value("#flame"), both, 9)
        self.assertEqual(page.eval("location.hash"), "#t=1&s=IBAR")
        page.eval("history.back()")
        page.until("location.hash === '#t=1'")
        page.settled()
        self.assertAlmostEqual(page.value("#flame"), self.sum_of(run, lambda thread, region, state: thread == 1), 9)
        page.eval("history.forward()")
        page.until("location.hash === '#t=1&s=IBAR'")
        page.settled()
        self.assertAlmostEqual(page.value("#flame"), both, 9)
        page.click(".chip[data-part=thread]")
        self.assertAlmostEqual(page.value("#flame"), self.sum_of(run, lambda thread, region, state: state == "IBAR"), 9)

    def test_an_address_opens_what_it_names_and_nonsense_opens_all(self):
        run, page = self.process("samples"), self.open("samples", "#t=0&s=WORK&flame=callers")
        self.assertAlmostEqual(page.value("#flame"), self.sum_of(run, lambda thread, region, state: thread == 0 and state == "WORK"), 9)
        self.assertEqual(page.eval("document.getElementById('flame-order').value"), "callers")
        wild = self.open("samples", "#r=99999&t=-7&s=%3Cb%3E&from=x&to=2&flame=none&p=44")
        self.assertEqual(wild.complaints(), [])
        self.assertTrue(wild.eval("document.getElementById('selection').hidden"))
        self.assertAlmostEqual(wild.value("#flame"), self.sum_of(run, lambda *_: True), 9)

    def test_a_span_drawn_on_the_time_line_is_what_its_pieces_say(self):
        page = self.open("samples")
        x, y, left, _, width, _ = page.place("#timeline")
        start = left + 92
        page.drag(start + (width - 92) * 0.25, y, start + (width - 92) * 0.75)
        begin, end = page.eval("selection.span")
        whole = page.eval("view.all")
        self.assertAlmostEqual(begin / whole, 0.25, 2)
        self.assertAlmostEqual(end / whole, 0.75, 2)
        expected = page.eval("""(() => { let sum = 0; for (let t = 0; t < process.threads.length; ++t) for (let i = timeline.first[t]; i < timeline.first[t + 1] - 1; ++i)
            if (timeline.key[i] >= 0) sum += Math.max(0, Math.min(timeline.begin[i + 1], selection.span[1]) - Math.max(timeline.begin[i], selection.span[0])); return sum; })()""")
        for view in ("#flame", "#selected-time"):
            self.assertAlmostEqual(page.value(view), expected, 6, view)
        self.assertAlmostEqual(sum(row["wall"] for row in page.table("states")), expected, 6)
        self.assertIn("from=", page.eval("location.hash"))
        # The whole run's span has the tables' time: the time line agrees with them.
        page.eval(f"select({{span: [0, {whole}]}})")
        page.settled()
        run = self.process("samples")
        self.assertAlmostEqual(page.value("#flame"), self.sum_of(run, lambda *_: True), 4)

    def test_findings_without_time_in_it_are_counted_not_shown(self):
        run, page = self.process("two-regions"), self.open("two-regions")
        findings = run["processes"][0]["findings"]
        nodes = [finding["node"] for finding in findings]
        self.assertEqual(page.eval("document.querySelectorAll('#findings .cost').length"), len(findings))
        region = next(node for node in nodes if node >= 0)
        page.eval(f"select({{region: {region}}})")
        page.settled()
        there = [finding for finding in findings if any(place["node"] == region for place in finding["places"])]
        self.assertLess(len(there), len(findings))
        self.assertEqual(page.eval("document.querySelectorAll('#findings .cost').length"), len(there))
        self.assertIn(f"{len(findings) - len(there)} more", page.text("#findings"))


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


class Keys(Pages):
    def test_the_wheel_scrolls_unless_control_or_focus_says_zoom(self):
        page = self.open("samples")
        x, y = page.place("#timeline")[:2]
        page.eval("scrollTo({top: scrollY - 100, behavior: 'instant'})")
        scrolled = page.eval("scrollY")
        page.wheel(x, y, 40)
        page.until(f"scrollY > {scrolled}")
        self.assertEqual(page.eval("view.end - view.begin"), page.eval("view.all"))
        x, y = page.place("#timeline")[:2]
        page.wheel(x, y, -100, control=True)
        zoomed = page.eval("view.end - view.begin")
        self.assertLess(zoomed, page.eval("view.all"))
        page.eval("document.getElementById('timeline').focus()")
        page.wheel(*page.place("#timeline")[:2], -100)
        self.assertLess(page.eval("view.end - view.begin"), zoomed)

    def test_keys_move_the_time_line_and_select_on_it(self):
        page = self.open("samples")
        page.eval("document.getElementById('timeline').focus()")
        page.key("+")
        self.assertAlmostEqual(page.eval("view.end - view.begin"), page.eval("view.all") / 2, 9)
        before = page.eval("view.begin")
        page.key("ArrowLeft")
        self.assertLess(page.eval("view.begin"), before)
        page.key("Enter")
        self.assertEqual(page.eval("selection.span"), page.eval("[view.begin, view.end]"))
        page.key("ArrowDown")
        self.assertIn("thread 1", page.text("#timeline-detail"))
        page.key("t")
        self.assertEqual(page.eval("selection.thread"), 1)
        page.key("s")
        self.assertIn(page.eval("selection.state"), page.eval("usedStates"))
        page.key("Escape")
        self.assertIsNone(page.eval("selection.span"))

    def test_keys_walk_the_flame_graph(self):
        page = self.open("samples")
        page.eval("document.getElementById('flame').focus()")
        page.key("ArrowDown")  # on the root
        page.key("ArrowDown")
        largest = page.eval("tree.children.reduce((a, b) => a.value >= b.value ? a : b).name")
        self.assertTrue(page.text("#flame-detail").startswith(largest))
        for _ in range(20):
            if page.eval("process.nodes[cursor.data.node]?.kind") == "region" and not page.eval("cursor.data.state"):
                break
            page.key("ArrowDown")
        page.key("Enter")
        self.assertGreaterEqual(page.eval("selection.region"), 0)

    def test_rows_and_heads_take_keys_and_everything_has_a_name(self):
        page = self.open("samples")
        page.eval("document.querySelector('#regions tbody tr').focus()")
        page.key("Enter")
        self.assertGreaterEqual(page.eval("selection.region"), 0)
        self.assertEqual(page.eval("document.activeElement.getAttribute('aria-selected')"), "true")
        page.eval("document.querySelector('#threads th:nth-child(2) button').focus()")
        page.key("Enter")
        self.assertEqual(page.eval("document.querySelector('#threads th:nth-child(2)').getAttribute('aria-sort')"), "descending")
        nameless = page.eval("""[...document.querySelectorAll("button, input, select, table, [role=application], [tabindex='0']")]
            .filter(at => !at.closest("[hidden]") && !(at.getAttribute("aria-label") || at.labels?.length || at.textContent.trim())).map(at => at.outerHTML.slice(0, 80))""")
        self.assertEqual(nameless, [])
        page.eval("document.getElementById('skip').focus()")
        page.key("Enter")
        self.assertEqual(page.eval("document.activeElement.id"), "main")


class Flame(Pages):
    def walk(self, page):
        return page.eval("""(() => { const to = []; const walk = (frame, path) => { const own = frame.value - frame.children.reduce((sum, each) => sum + each.value, 0);
            path = [...path, frame.name]; if (own > 1e-9) to.push([path.slice(1).join(";"), own]); frame.children.forEach(each => walk(each, path)); };
            walk(tree, []); return to; })()""")

    def test_callers_are_the_same_time_the_other_way_round(self):
        page = self.open("samples")
        down = page.eval("tree.value")
        leaves = {}
        for path, own in self.walk(page):
            leaf = path.split(";")[-1]
            leaves[leaf] = leaves.get(leaf, 0) + own
        page.eval("select({order: 'callers'})")
        page.settled()
        self.assertAlmostEqual(page.eval("tree.value"), down, 9)
        tops = {}
        for name, value in page.eval("tree.children.map(each => [each.name, each.value])"):
            tops[name] = tops.get(name, 0) + value
        self.assertGreater(len(leaves), 1)
        for leaf, own in leaves.items():
            self.assertAlmostEqual(tops.get(leaf, 0), own, 9, leaf)

    def test_by_state_each_state_has_its_time(self):
        run, page = self.process("samples"), self.open("samples", "#flame=states")
        cells, sums = run["processes"][0]["cells"], {}
        for state, wall in zip(cells["state"], cells["wall"]):
            sums[run["states"][state]] = sums.get(run["states"][state], 0) + wall
        for name, value in page.eval("tree.children.map(each => [each.state, each.value])"):
            self.assertAlmostEqual(value, sums.pop(name), 9)
        self.assertEqual({name for name, wall in sums.items() if wall > 0}, set())

    def test_a_search_counts_frames_and_shares(self):
        page = self.open("samples")
        page.type("#flame-search", "SLO")
        own = page.eval("(() => { const seen = []; const walk = f => { if (f.name.toLowerCase().includes('slo')) seen.push(f); else f.children.forEach(walk); }; walk(tree); return seen.map(f => f.value); })()")
        self.assertTrue(own)
        self.assertAlmostEqual(page.value("#flame-matches"), sum(own), 9)
        self.assertIn("%", page.text("#flame-matches"))
        self.assertIn("q=SLO", page.eval("location.hash"))
        self.assertGreater(page.eval("[...document.querySelectorAll('#flame rect')].filter(at => at.getAttribute('fill') === '#ff8df0' || getComputedStyle(at).fill === 'rgb(255, 141, 240)').length"), 0)
        page.type("#flame-search", "x(.*[")
        self.assertIn("0 frames", page.text("#flame-matches"))
        self.assertEqual(page.complaints(), [])


class Numbers(Pages):
    """Each figure of the page is that of the JSON, and what both show that of the text."""

    def sums(self, process, states, key):
        sums = {}
        cells = process["cells"]
        for row, (state, wall) in enumerate(zip(cells["state"], cells["wall"])):
            one = sums.setdefault(key(cells, row), {})
            one[states[state]] = one.get(states[state], 0) + wall
        return sums

    def same(self, shown, expected, what):
        self.assertEqual(len(shown), len(expected), what)
        for (name, value), wanted in zip(shown.items(), expected):
            if isinstance(wanted, float):
                self.assertAlmostEqual(value, wanted, 9, f"{what}: {name}")
            else:
                self.assertEqual(value, wanted, f"{what}: {name}")

    def compare_tables(self, page, process, states):
        names = page.eval("usedStates")
        by_state = self.sums(process, states, lambda cells, row: 0).get(0, {})
        self.assertEqual({name for name, wall in by_state.items() if wall > 0}, set(names))
        for row in page.table("states"):
            self.assertAlmostEqual(row["wall"], by_state[row["state"]], 9)
            self.assertAlmostEqual(row["share"], by_state[row["state"]] / sum(by_state.values()), 9)
        regions = {str(region["node"]): region for region in process["figures"]["regions"]}
        rows = page.table("regions")
        self.assertEqual(len(rows), min(200, len(regions)))
        for row in rows:
            region = regions[row.pop("key")]
            row.pop("selected")
            node = region["node"]
            self.same(row, [region["place"], region["potential_gain"], process["nodes"][node]["entries"] if node >= 0 else 0,
                            region["mean_length"], region["team"], region["work_min"], region["work_mean"], region["work_max"],
                            region["seconds"], *[region["by_state"].get(name, 0.0) for name in names if name != "SERIAL"], region["samples"]], region["place"])
        by_thread = self.sums(process, states, lambda cells, row: cells["thread"][row])
        for row in page.table("threads"):
            index = int(row.pop("key"))
            thread = process["threads"][index]
            row.pop("selected")
            row.pop("thread")
            self.same(row, [thread["tid"], *[by_thread.get(index, {}).get(name, 0.0) for name in names], thread["samples"],
                            thread["voluntary_switches"], thread["involuntary_switches"]], f"thread {index}")
        for name, rows in (("blame", [[each["place"], each["seconds"], each["samples"]] for each in process.get("blame", [])]),
                           ("locks", [[each["wall"], each["waits"], states[each["state"]]] for each in process["locks"]]),
                           ("lines", [[each["source"], sum(each["by_state"].values()), *[each["by_state"].get(state, 0.0) for state in names]]
                                      for each in process.get("lines", [])])):
            shown = page.table(name)
            if name == "lines" and not rows:
                continue  # made of the cells then
            order = 0 if name == "locks" else 1
            self.assertEqual(len(shown), min(200, len(rows)), name)
            self.assertEqual([row[list(row)[2 + order]] for row in shown], sorted((row[order] for row in rows), reverse=True)[:200], name)
            for row in shown:
                row = list(row.values())[2:]
                wanted = [each for each in rows if all(abs(a - b) < 1e-9 if isinstance(b, float) else a == b for a, b in zip(row, each))]
                self.assertTrue(wanted, f"{name}: {row}")

    def compare(self, path):
        run, text = json.loads(report(path, "json")), report(path, "text", "--all")
        page = self.browser.open(page_of(path))
        self.addCleanup(page.close)
        process, states = run["processes"][0], run["states"]
        figures = process["figures"]
        for tile, key in (("parallel", "parallel_efficiency"), ("serialisation", "serialisation_efficiency"), ("balance", "load_balance"),
                          ("scheduling", "scheduling_efficiency")):
            if "Verdict: none" in text:  # too few samples for figures
                self.assertIn("nobody can tell where the time goes", page.text("#verdict"))
                self.assertFalse(page.eval("document.querySelectorAll('.tile, #findings li').length"))
                break
            self.assertEqual(page.value("#" + tile), figures[key], key)
            self.assertIn(" " + page.text("#" + tile), text)
        self.assertAlmostEqual(page.value("#flame"), sum(process["cells"]["wall"]), 6)
        shown = page.eval("[...document.querySelectorAll('#findings li')].map(at => [Number(at.querySelector('p')?.dataset.value), at.querySelector('.cost')?.textContent, at.innerText])")
        findings = process["findings"]
        self.assertEqual(len([one for one in shown if one[1]]), len(findings))
        for finding, (value, cost, words) in zip(findings, shown):
            self.assertEqual(value, finding["seconds"])
            for part in (finding["place"], finding["cause"], finding["evidence"], finding["cure"]):
                self.assertIn(part, words)
            line = [each for each in text.splitlines() if finding["cause"] in each and cost.split(" (")[0] in each]
            self.assertTrue(line, cost + finding["cause"])
        for region in figures["regions"]:
            if region["node"] >= 0 and region["potential_gain"] >= 0.01 * figures["elapsed"]:
                gain = page.eval(f"seconds({region['potential_gain']})")
                self.assertTrue([each for each in text.splitlines() if region["place"] in each and gain in each], region["place"] + gain)
        self.compare_tables(page, process, states)
        self.compare_totals(page, process, text)
        self.compare_time_line(page, process)
        self.compare_facts(page, process, text)
        self.assertEqual(page.complaints(), [])

    def compare_totals(self, page, process, text):
        """A region's total is the sum of its states, what its selection has, and the text's."""
        lengths = [float(match[1]) for match in re.finditer(r"^ +[\d]+ +([\d.]+) [ \d.]*  \S", text.partition("\nParallel regions (shares")[2].partition("\n\n")[0], re.M)]
        known = [region for region in process["figures"]["regions"] if region["node"] >= 0]
        of_page, of_text = ([text for text in sorted(map("{:.2f}".format, each)) if text != "0.00"] for each in ([region["seconds"] for region in known], lengths))
        self.assertEqual(of_page, of_text)
        for region in known[:5]:
            self.assertAlmostEqual(region["seconds"], sum(region["by_state"].values()), 9)
            page.eval(f"select({{region: {region['node']}}})")
            page.settled()
            for view in ("#selected-time", "#flame", "#region-facts dd[data-name='thread time']"):
                self.assertAlmostEqual(page.value(view), region["seconds"], 9, view)
            for row in page.table("region-threads"):
                parts = sum(value for name, value in row.items() if name not in ("key", "selected", "thread", "of the most", "total"))
                self.assertAlmostEqual(parts, row["total"], 9)
            page.eval("select({region: null})")
            page.settled()

    def compare_time_line(self, page, process):
        """By thread and state the time line is as long as the tables have it, to a microsecond for each piece."""
        seen = page.eval("""timeline && process.threads.map((_, thread) => { const sums = data.run.states.map(() => 0);
            for (let i = timeline.first[thread]; i < timeline.first[thread + 1] - 1; ++i) if (timeline.key[i] >= 0) sums[timeline.state[timeline.key[i]]] += timeline.begin[i + 1] - timeline.begin[i];
            return sums; })""")
        facts, cells = process["facts"], process["cells"]
        if seen is None or facts.get("samples_missed") or facts.get("samples_end_early"):
            return  # then nobody knows when the rest was
        wanted = [[0.0] * len(seen[0]) for _ in seen]
        for thread, state, wall in zip(cells["thread"], cells["state"], cells["wall"]):
            wanted[thread][state] += wall
        error = 1e-6 + page.eval("timeline.tick * timeline.begin.length") / 10
        for mine, tables in zip(seen, wanted):
            for drawn, wall in zip(mine, tables):
                self.assertAlmostEqual(drawn, wall, delta=error)

    def compare_facts(self, page, process, text):
        """Each fact of the JSON stands on the page, and there each number and each warning of the text."""
        rows = dict(page.eval("[...document.querySelectorAll('#all-facts dt')].map(at => [at.textContent, at.nextSibling.textContent])"))
        for key, value in process["facts"].items():
            if value not in ("", 0, None, False, []):
                words = page.eval(f"data.facts[{json.dumps(key)}]")
                self.assertIn(words, rows, key)
                self.assertEqual(rows[words], " ".join(map(str, value)) if isinstance(value, list) else page.eval(f"String({json.dumps(value)})"), key)
        warnings = page.eval("[...document.querySelectorAll('#warnings li')].map(at => at.textContent)")
        self.assertEqual([warning["text"] + "." for warning in process["warnings"]], [warning.removeprefix("Warning: ") for warning in warnings])
        head, whole = (" ".join(part.split()) for part in (text.partition("Verdict:")[0], text))
        page_words = " ".join(page.eval("document.body.textContent").split())
        for warning in process["warnings"]:
            # How it ended stands in the text's first lines, in the same words.
            self.assertIn(warning["text"].rpartition(": ")[2] if warning["severity"] == "end" else warning["text"], whole)
            head = head.replace(warning["text"], "")
        for number in re.findall(r"\d[\d.,]*\d|\d", head):
            self.assertIn(number, page_words, head)

    def test_of_a_run_with_doubts(self):
        self.compare(file_of("doubts"))
        run = self.process("doubts")["processes"][0]
        self.assertGreater(len(run["warnings"]), 12)

    def test_of_a_run_with_samples(self):
        self.compare(file_of("samples"))

    def test_of_a_run_with_locks(self):
        self.compare(file_of("contended-critical"))

    def test_of_the_others(self):
        for name in ("imbalance", "serial-part", "tiny-regions", "false-ordered", "single-in-loop", "oversubscription", "task-flood",
                     "triangle", "lock-convoy", "healthy", "two-regions", "no-stacks", "one-sample", "idle-in-region"):
            with self.subTest(name):
                self.compare(file_of(name))

    def test_of_real_programs(self):
        programs = [word.split() for word in os.environ.get("PAGE_TEST_PROGRAMS", "").split("|") if word]
        self.assertTrue(programs, "PAGE_TEST_PROGRAMS names none")
        for program in programs:
            with self.subTest(program[0]):
                path = os.path.join(WORK.name, os.path.basename(program[0]) + ".ompc")
                done = subprocess.run([OMPCOLLECT, "-o", path, *program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, cwd=WORK.name)
                self.assertTrue(os.path.exists(path), done.stdout.decode(errors="replace"))
                self.compare(path)


class Paper(Pages):
    def words_of(self, page):
        """What stands on paper, without spaces: letters are placed one by one."""
        pdf = base64.b64decode(page.call("Page.printToPDF", {"printBackground": True})["data"])
        sheets = PyPDF2.PdfReader(io.BytesIO(pdf)).pages
        return len(sheets), "".join("".join(sheet.extract_text() for sheet in sheets).split())

    def test_all_is_on_paper_and_nothing_is_cut_off(self):
        run, page = self.process("samples")["processes"][0], self.open("samples")
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
