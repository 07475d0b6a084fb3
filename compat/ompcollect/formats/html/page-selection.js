// SPDX-License-Identifier: Apache-2.0
//
// One selection for all views: process, region, thread, state, span of time, and how the flame graph
// looks. The address's hash has it, so links, back and forward keep it. What a view shows are the
// cells of the selection.
"use strict";
const kNothing = {process: 0, region: null, thread: null, state: null, span: null, search: "", order: "paths"};
let selection = {...kNothing};
const views = []; // functions that draw anew
const keysOfHash = {process: "p", region: "r", thread: "t", state: "s", span: "from", search: "q", order: "flame"};

function hashOf(chosen) {
  const words = new URLSearchParams();
  for (const [name, key] of Object.entries(keysOfHash)) {
    if (chosen[name] === kNothing[name] || chosen[name] === null) continue;
    if (name === "span") { words.set("from", chosen.span[0].toFixed(6)); words.set("to", chosen.span[1].toFixed(6)); }
    else words.set(key, chosen[name]);
  }
  return "#" + words.toString();
}

// What names nothing of this run is passed over.
function selectionOf(hash) {
  const words = new URLSearchParams(hash.slice(1)), chosen = {...kNothing};
  const whole = (key, least, end) => {
    const value = words.get(key);
    return value !== null && /^-?\d+$/.test(value) && Number(value) >= least && Number(value) < end ? Number(value) : null;
  };
  chosen.process = whole("p", 0, data.run.processes.length) ?? 0;
  const shown = data.run.processes[chosen.process];
  chosen.region = whole("r", kUnknown, shown.nodes.length);
  if (chosen.region >= 0 && chosen.region !== null && shown.nodes[chosen.region].kind !== "region") chosen.region = null;
  chosen.thread = whole("t", 0, shown.threads.length);
  if (stateTable.has(words.get("s"))) chosen.state = words.get("s");
  const from = parseFloat(words.get("from")), to = parseFloat(words.get("to"));
  if (from >= 0 && to > from) chosen.span = [from, to];
  chosen.search = words.get("q") || "";
  if (["callers", "states"].includes(words.get("flame"))) chosen.order = words.get("flame");
  return chosen;
}

// Changes a part of the selection. A step back undoes it, but for letters of a search.
function select(change) {
  const next = {...selection, ...change};
  if (next.process !== selection.process) Object.assign(next, {region: null, thread: null, state: null, span: null});
  if (hashOf(next) === hashOf(selection)) return;
  if (Object.keys(change).join() === "search" && selection.search) location.replace(hashOf(next));
  else location.hash = hashOf(next);
  follow(next);
}
const toggle = (name, value) => select({[name]: selection[name] === value ? null : value});

async function follow(next) {
  const isOther = process === null || next.process !== selection.process;
  const before = selection;
  selection = next;
  if (isOther) {
    showProcess(next.process);
    timeline = null;
    isTimelineComing = true;
    const unpacked = timelineOf(next.process);
    views.forEach(view => view(null));
    const line = await unpacked;
    if (selection.process !== next.process) return;
    timeline = line;
    isTimelineComing = false;
  }
  rowsOfSpan = null;
  views.forEach(view => view(isOther ? null : before));
  document.body.dataset.shown = hashOf(selection);
}

// Time of the selected span by thread, node and state, from the time line; null: not asked for yet.
let rowsOfSpan = null;
function spanRows() {
  if (rowsOfSpan) return rowsOfSpan;
  const [from, to] = selection.span, rows = {thread: [], node: [], state: [], wall: []};
  const sums = new Float64Array(timeline.node.length);
  process.threads.forEach((_, thread) => {
    sums.fill(0);
    const end = timeline.first[thread + 1] - 1;
    for (let i = firstEndingAfter(thread, from); i < end && timeline.begin[i] < to; ++i) {
      if (timeline.key[i] >= 0) sums[timeline.key[i]] += Math.min(to, timeline.begin[i + 1]) - Math.max(from, timeline.begin[i]);
    }
    sums.forEach((wall, key) => {
      if (!(wall > 0)) return;
      rows.thread.push(thread); rows.node.push(timeline.node[key]); rows.state.push(timeline.state[key]); rows.wall.push(wall);
    });
  });
  return rowsOfSpan = rows;
}

// Calls act(thread, node, state, wall, row) for what is selected; `free` is a part of the selection
// that does not count, as in the table from which it is chosen. A span needs the time line. Without
// one `row` is the cell's.
function forEachCell(act, free) {
  const rows = selection.span && timeline ? spanRows() : process.cells;
  const region = free === "region" ? null : selection.region;
  const thread = free === "thread" ? null : selection.thread;
  const state = free === "state" || selection.state === null ? null : stateNumber(selection.state);
  const {wall, node} = rows;
  for (let i = 0; i < wall.length; ++i) {
    if (thread !== null && rows.thread[i] !== thread || state !== null && rows.state[i] !== state) continue;
    if (region !== null && regionOf(node[i]) !== region) continue;
    act(rows.thread[i], node[i], rows.state[i], wall[i], i);
  }
}
const isNarrowed = free => ["region", "thread", "state"].some(name => name !== free && selection[name] !== null) || selection.span !== null && timeline !== null;

function showSelection() {
  const chips = [];
  const chip = (name, text) => {
    if (selection[name] === null) return;
    const made = button(`${text} \u2715`, () => select({[name]: null}));
    made.className = "chip";
    made.dataset.part = name;
    made.setAttribute("aria-label", `Selected: ${text}. Take it out`);
    chips.push(made);
  };
  chip("region", selection.region !== null ? placeName(selection.region) : "");
  chip("thread", selection.thread !== null ? threadName(process.threads[selection.thread]) : "");
  chip("state", selection.state !== null ? `${selection.state} ${stateTable.get(selection.state).words}` : "");
  chip("span", selection.span ? `${seconds(selection.span[0])} to ${seconds(selection.span[1])}` : "");
  byId("selection").hidden = !chips.length;
  if (!chips.length) { byId("selection").replaceChildren(); return; }
  let chosen = 0, all = 0;
  forEachCell((thread, node, state, wall) => { chosen += wall; });
  for (const wall of process.cells.wall) all += wall;
  const sum = element("span", `${seconds(chosen)} of thread time, ${percent(all > 0 ? chosen / all : 0)} of the run` +
    (selection.span && !timeline && !isTimelineComing ? ". The span is passed over: this run has no time line" : ""));
  sum.id = "selected-time";
  sum.dataset.value = chosen;
  byId("selection").replaceChildren(element("b", "Selected"), ...chips, sum, button("All", () => select({region: null, thread: null, state: null, span: null})));
}
