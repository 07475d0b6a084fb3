# SPDX-License-Identifier: Apache-2.0
"""What mouse and keys do on a run's page: the selection, the flame graph, the time line."""
from pages import Pages


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
