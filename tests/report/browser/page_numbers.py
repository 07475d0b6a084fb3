# SPDX-License-Identifier: Apache-2.0
"""The numbers of a run's page are those of the JSON and of the text, also for PAGE_TEST_PROGRAMS
("program argument|program"), which are run.
"""
import json
import os
import re
import subprocess

from pages import OMPCOLLECT, WORK, Pages, file_of, page_of, report


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
