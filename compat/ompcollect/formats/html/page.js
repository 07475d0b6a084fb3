// SPDX-License-Identifier: Apache-2.0
//
// Draws the page from the data that it holds: {run, states, facts, timelines}. `run` is what
// FORMATS.md describes; `states` is the table of states in reading order, `facts` has the words for
// the keys of a process's facts; a time line has the columns begin_us, length_us, thread, node, state.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const states = data.run.states;
const kOutside = -1, kSeveral = -2, kUnknown = -3;

const stateTable = new Map(data.states.map(state => [state.name, state]));
const colourOf = name => stateTable.get(name).colour;

const byId = id => document.getElementById(id);
const element = (tag, text, name) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
};
const seconds = s => {
  const size = Math.abs(s);
  if (size === 0 || size >= 100) return s.toFixed(0) + " s";
  if (size >= 0.1) return s.toFixed(2) + " s";
  return size >= 1e-3 ? (s * 1e3).toFixed(1) + " ms" : (s * 1e6).toFixed(1) + " us";
};
const percent = share => (share * 100).toFixed(share * 100 >= 9.95 ? 0 : 1) + " %";

let process = data.run.processes[0];
let timeline = data.timelines[0];
const base = path => path.slice(path.lastIndexOf("/") + 1);

const nodeName = node => node.function || node.source ||
  (node.module ? base(node.module) + "+0x" + node.offset.toString(16) : "(unknown code)");
const placeName = at => {
  if (at === kOutside) return "(outside any region)";
  if (at === kSeveral) return "(idle while several outermost regions ran)";
  if (at === kUnknown) return "(region whose fork was not seen)";
  const node = process.nodes[at];
  return nodeName(node) + (node.source && node.function ? " " + node.source : "");
};
const regionOf = at => {
  while (at >= 0 && process.nodes[at].kind !== "region") at = process.nodes[at].parent;
  return at >= 0 && process.nodes[at].same_as >= 0 ? process.nodes[at].same_as : at;
};
const stateName = number => states[number];

// Tables: rows are arrays, a column is {name, text, show}. A click on a head sorts.
const kRowsShown = 200;
function table(id, columns, rows, sortBy) {
  const at = byId(id);
  at.replaceChildren();
  const head = at.createTHead().insertRow();
  const body = at.createTBody();
  let all = false;
  const fill = () => {
    body.replaceChildren();
    for (const row of all ? rows : rows.slice(0, kRowsShown)) {
      const line = body.insertRow();
      columns.forEach((column, i) => {
        const cell = line.insertCell();
        cell.textContent = column.show ? column.show(row[i]) : row[i];
        if (column.text) { cell.className = column.code ? "text code" : "text"; cell.title = row[i]; }
        else cell.dataset.value = row[i];
      });
    }
    at.querySelector("caption")?.remove();
    if (!all && rows.length > kRowsShown) {
      const more = element("button", `Show all ${rows.length} rows`);
      more.onclick = () => { all = true; fill(); };
      at.createCaption().append(more);
    }
  };
  const sort = (i, down) => {
    const sign = down ? -1 : 1;
    rows.sort((a, b) => sign * (columns[i].text ? a[i].localeCompare(b[i]) : a[i] - b[i]));
    [...head.cells].forEach((cell, k) => cell.setAttribute("aria-sort", k !== i ? "none" : down ? "descending" : "ascending"));
    fill();
  };
  columns.forEach((column, i) => {
    const cell = element("th", column.name, column.text ? "text" : "");
    cell.scope = "col";
    cell.onclick = () => sort(i, cell.getAttribute("aria-sort") !== "descending");
    head.append(cell);
  });
  sort(sortBy, true);
}

function showHead() {
  const facts = process.facts, figures = process.figures;
  document.title = base(facts.program) + " - OpenMP profile";
  byId("program").textContent = [facts.program, ...facts.arguments.slice(1)].join(" ");
  byId("facts").textContent = [
    "pid " + facts.pid, facts.rank && "rank " + facts.rank, facts.host,
    facts.begin > 0 && new Date(facts.begin * 1000).toISOString().replace("T", " ").slice(0, 19) + " UTC",
    seconds(figures.elapsed) + " elapsed", figures.threads + " threads", facts.runtime,
    facts.how_it_ended || (facts.exit_code >= 0 ? "exit code " + facts.exit_code : facts.ending === "none" ? "end not seen" : facts.ending),
    figures.samples.toLocaleString("en") + " samples at " + facts.rate + " a second",
  ].filter(Boolean).join("  \u00b7  ");
}

function tile(value, words, name, id) {
  const made = element("div", undefined, "tile " + (name || ""));
  const number = element("b", percent(value));
  number.id = id;
  number.dataset.value = value;
  made.append(number, element("span", words));
  return made;
}

function showVerdict() {
  const f = process.figures;
  byId("efficiency").replaceChildren(
    tile(f.parallel_efficiency, "parallel efficiency", "main", "parallel"), element("span", "=", "sign"),
    tile(f.serialisation_efficiency, `serialisation: ${seconds(f.serial)} outside regions`, "", "serialisation"),
    element("span", "\u00d7", "sign"), tile(f.load_balance, "load balance", "", "balance"),
    element("span", "\u00d7", "sign"), tile(f.scheduling_efficiency, "scheduling and runtime", "", "scheduling"));
  const notes = [];
  if (f.on_processor < 0.9) notes.push(`Threads at work had a processor for ${percent(f.on_processor)} of the time.`);
  byId("notes").textContent = notes.join(" ");
  byId("warnings").replaceChildren(...process.warnings.map(warning => element("li", `${["doubt", "loss"].includes(warning.severity) ? "Warning: " : ""}${warning.text}.`, warning.severity)));
  byId("findings").replaceChildren(...process.findings.map(finding => {
    const item = element("li");
    const title = element("p");
    title.append(element("span", `${seconds(finding.seconds)} (${percent(finding.share)})`, "cost"),
      ` ${finding.place} `, element("span", finding.cause, "cause"));
    title.dataset.value = finding.seconds;
    const bar = element("div", undefined, "bar"), part = element("i");
    part.style.width = Math.min(100, finding.share * 100) + "%";
    bar.append(part);
    const more = finding.places.slice(1, 4).map(at => `${at.place} ${percent(at.share)}`);
    item.append(title, bar, element("p", finding.evidence + "."), ...(more.length ? [element("p", "also at " + more.join(", "))] : []),
      element("p", "\u2192 " + finding.cure));
    return item;
  }));
  if (!process.findings.length) byId("findings").replaceWith(Object.assign(element("p", f.lost < 0.05 ? `Nothing stands out: all losses together are ${percent(f.lost)}.` : `${percent(f.lost)} are lost. No cause has samples enough to be named.`), {id: "findings"}));
}

function usedStates() {
  const sums = new Map();
  process.cells.state.forEach((state, i) => sums.set(stateName(state), (sums.get(stateName(state)) || 0) + process.cells.wall[i]));
  return [...stateTable.keys()].filter(name => sums.get(name) > 0);
}

function showLegend() {
  byId("legend").replaceChildren(...usedStates().map(name => {
    const item = element("span"), box = element("i");
    box.style.background = colourOf(name);
    item.append(box, `${name} ${stateTable.get(name).words}`);
    return item;
  }));
}

// The tree of call paths, with inclusive time by state in each frame.
function flameTree(thread) {
  const root = {name: base(process.facts.program), value: 0, children: [], times: {}, own: {}};
  const frames = process.nodes.map(node => ({
    name: nodeName(node) + (node.kind === "region" ? " [region]" : ""), place: node.source, value: 0, children: [], times: {},
  }));
  const special = new Map(), leaves = new Map();
  const frameOf = at => {
    if (at >= 0) return frames[at];
    if (at !== kUnknown) return root;
    if (!special.has(at)) {
      special.set(at, {name: placeName(at), value: 0, children: [], times: {}});
      root.children.push(special.get(at));
    }
    return special.get(at);
  };
  const {thread: threads, node, state, wall} = process.cells;
  for (let i = 0; i < wall.length; ++i) {
    if ((thread >= 0 && threads[i] !== thread) || !(wall[i] > 0)) continue;
    const name = stateName(state[i]);
    const frame = frameOf(node[i]);
    const label = stateTable.get(name).frame;
    frame.times[name] = (frame.times[name] || 0) + wall[i];
    frame.value += wall[i];
    const leaf = label || (frame === root ? "(serial)" : "");
    if (leaf) {
      const key = node[i] + leaf;
      if (!leaves.has(key)) { leaves.set(key, {name: leaf, value: 0, children: [], times: {}, state: name}); frame.children.push(leaves.get(key)); }
      leaves.get(key).value += wall[i];
      leaves.get(key).times[name] = leaves.get(key).value;
    }
  }
  for (let i = frames.length - 1; i >= 0; --i) {
    const parent = process.nodes[i].parent >= 0 ? frames[process.nodes[i].parent] : root;
    if (!(frames[i].value > 0)) continue;
    parent.children.push(frames[i]);
    parent.value += frames[i].value;
    for (const name in frames[i].times) parent.times[name] = (parent.times[name] || 0) + frames[i].times[name];
  }
  for (const frame of special.values()) {
    root.value += frame.value;
    for (const name in frame.times) root.times[name] = (root.times[name] || 0) + frame.times[name];
  }
  return root;
}

function blended(times) {
  let sum = 0;
  const mix = [0, 0, 0];
  for (const name in times) {
    const colour = parseInt(colourOf(name).slice(1), 16);
    sum += times[name];
    mix[0] += times[name] * (colour >> 16);
    mix[1] += times[name] * (colour >> 8 & 255);
    mix[2] += times[name] * (colour & 255);
  }
  return sum > 0 ? `rgb(${mix.map(part => Math.round(part / sum)).join()})` : "#ccc";
}

let chart = null;
function showFlame() {
  const tree = flameTree(Number(byId("flame-thread").value));
  byId("flame").replaceChildren();
  byId("flame").dataset.value = tree.value;
  if (!(tree.value > 0)) { byId("flame").textContent = "No time to show."; return; }
  const words = d => {
    const parts = Object.entries(d.data.times).sort((a, b) => b[1] - a[1]).slice(0, 4).map(([name, time]) => `${name} ${seconds(time)}`);
    return `${d.data.name}${d.data.place ? " " + d.data.place : ""}: ${seconds(d.data.value)} (${percent(d.data.value / tree.value)}) \u2014 ${parts.join(", ")}`;
  };
  chart = flamegraph.default().width(byId("flame").clientWidth || 1200).cellHeight(19).transitionDuration(0).minFrameSize(1.5)
    .inverted(true).sort((a, b) => b.value - a.value)
    .setColorMapper(d => d.highlight ? "#ff8df0" : blended(d.data.times))
    .setLabelHandler(words).setDetailsElement(byId("flame-detail"));
  d3.select("#flame").datum(tree).call(chart);
}

function choices(id, texts) {
  byId(id).replaceChildren(...texts.map(([value, text]) => Object.assign(element("option", text), {value})));
}

// Time line: one row per thread, and above each group the outermost region that its initial thread is in.
const view = {begin: 0, end: 1};
let rowsOfTimeline = [];
function prepareTimeline() {
  const none = !timeline || timeline.thread.length === 0;
  byId("timeline-frame").hidden = byId("timeline-tools").hidden = none;
  byId("timeline-about").textContent = none
    ? "This profile has no samples with times, so the order of things is not known."
    : "State of each thread as time goes on; the row above shows the outermost region. Wheel: zoom, drag: move.";
  rowsOfTimeline = [];
  if (none) return;
  const rows = process.threads.map(thread => ({name: "thread " + thread.number, begin: [], end: [], node: [], state: []}));
  const {thread, begin_us, length_us, node, state} = timeline;
  let now = 0, last = -1;
  for (let i = 0; i < thread.length; ++i) {
    if (thread[i] !== last) { now = 0; last = thread[i]; }
    now += begin_us[i];
    const row = rows[thread[i]];
    row.begin.push(now / 1e6); row.end.push((now + length_us[i]) / 1e6);
    row.node.push(node[i]); row.state.push(state[i]);
  }
  const outermost = process.nodes.map((_, i) => i);
  process.nodes.forEach((made, i) => {
    const above = made.parent >= 0 ? outermost[made.parent] : -1;
    outermost[i] = above >= 0 ? above : made.kind === "region" ? i : -1;
  });
  const lead = process.threads.findIndex(each => each.is_initial);
  const source = rows[lead >= 0 ? lead : 0];
  const regions = {name: "region", begin: [], end: [], node: [], state: null};
  for (let i = 0; i < source.begin.length; ++i) {
    const region = source.node[i] >= 0 ? outermost[source.node[i]] : -1;
    const k = regions.begin.length - 1;
    if (k >= 0 && regions.node[k] === region && source.begin[i] - regions.end[k] < 1e-4) regions.end[k] = source.end[i];
    else { regions.begin.push(source.begin[i]); regions.end.push(source.end[i]); regions.node.push(region); }
  }
  rowsOfTimeline = [regions, ...rows];
  view.begin = 0;
  view.end = Math.max(process.facts.seconds, ...rows.map(row => row.end.length ? row.end[row.end.length - 1] : 0));
  view.all = view.end;
}

const kLabel = 84;
const rowHeight = () => rowsOfTimeline.length > 65 ? 8 : rowsOfTimeline.length > 17 ? 14 : 22;
function firstEndingAfter(row, time) {
  let low = 0, high = row.end.length;
  while (low < high) { const middle = (low + high) >> 1; if (row.end[middle] <= time) low = middle + 1; else high = middle; }
  return low;
}
const regionColours = ["#8fb8de", "#c7a6d8", "#9fd0b4", "#e6c28c", "#d99c9c", "#a9b0d9"];

function drawTimeline() {
  if (!rowsOfTimeline.length) return;
  const canvas = byId("timeline"), scale = devicePixelRatio || 1, height = rowHeight();
  const width = canvas.clientWidth || 1200, total = height * rowsOfTimeline.length + 22;
  canvas.style.height = total + "px";
  canvas.width = width * scale; canvas.height = total * scale;
  const pen = canvas.getContext("2d"), style = getComputedStyle(document.body);
  const ink = style.getPropertyValue("--soft");
  pen.scale(scale, scale);
  pen.font = Math.min(12, height) + "px system-ui, 'DejaVu Sans', sans-serif";
  pen.textBaseline = "middle";
  const perSecond = (width - kLabel) / (view.end - view.begin);
  rowsOfTimeline.forEach((row, r) => {
    const top = r * height;
    pen.fillStyle = ink;
    if (height >= 12 || r % 8 === 0) pen.fillText(row.name, 4, top + height / 2);
    let lastX = -1, lastKey = null;
    for (let i = firstEndingAfter(row, view.begin); i < row.begin.length && row.begin[i] < view.end; ++i) {
      const x = Math.max(kLabel, kLabel + (row.begin[i] - view.begin) * perSecond);
      const end = Math.min(width, kLabel + (row.end[i] - view.begin) * perSecond);
      const key = row.state ? row.state[i] : row.node[i];
      if (end - lastX < 0.5 && key === lastKey) continue;
      if (row.state === null && row.node[i] < 0) continue;
      pen.fillStyle = row.state ? colourOf(stateName(row.state[i])) : regionColours[row.node[i] % regionColours.length];
      pen.fillRect(x, top + 1, Math.max(0.5, end - x), height - 2);
      if (row.state === null && end - x > 50) {
        pen.save(); pen.beginPath(); pen.rect(x, top, end - x, height); pen.clip();
        pen.fillStyle = "#1c2330"; pen.fillText(nodeName(process.nodes[row.node[i]]), x + 4, top + height / 2); pen.restore();
      }
      lastX = end; lastKey = key;
    }
  });
  pen.fillStyle = ink;
  const axis = d3.scaleLinear().domain([view.begin, view.end]).range([kLabel, width]);
  for (const tick of axis.ticks(10)) {
    pen.fillRect(axis(tick), total - 20, 1, 5);
    pen.fillText(Number(tick.toPrecision(6)) + " s", axis(tick) + 3, total - 9);
  }
}

function timelineEvents() {
  const canvas = byId("timeline");
  const timeAt = event => view.begin + Math.max(0, event.offsetX - kLabel) / (canvas.clientWidth - kLabel) * (view.end - view.begin);
  const setView = (begin, length) => {
    length = Math.min(length, view.all);
    view.begin = Math.min(Math.max(0, begin), view.all - length);
    view.end = view.begin + length;
    requestAnimationFrame(drawTimeline);
  };
  canvas.addEventListener("wheel", event => {
    if (event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    const at = timeAt(event), factor = Math.exp(event.deltaY * 0.0015), length = Math.max(1e-4, (view.end - view.begin) * factor);
    setView(at - (at - view.begin) / (view.end - view.begin) * length, length);
  }, {passive: false});
  let from = null;
  canvas.addEventListener("pointerdown", event => { from = {x: event.offsetX, begin: view.begin}; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", () => { from = null; });
  canvas.addEventListener("pointermove", event => {
    if (from) {
      setView(from.begin - (event.offsetX - from.x) / (canvas.clientWidth - kLabel) * (view.end - view.begin), view.end - view.begin);
      return;
    }
    const row = rowsOfTimeline[Math.floor(event.offsetY / rowHeight())], time = timeAt(event);
    if (!row) return;
    const i = firstEndingAfter(row, time);
    byId("timeline-detail").textContent = `${seconds(time)} ${row.name}` + (i < row.begin.length && row.begin[i] <= time
      ? `: ${row.state ? stateName(row.state[i]) + " " : ""}${placeName(row.node[i])} (${seconds(row.end[i] - row.begin[i])})` : "");
  });
  byId("timeline-reset").onclick = () => setView(0, view.all);
}

// Each fact that says anything, and the events.
function showFacts() {
  const isEmpty = value => value === "" || value === 0 || value === null || value === false || (Array.isArray(value) && !value.length);
  const rows = Object.entries(process.facts).filter(([, value]) => !isEmpty(value))
    .map(([key, value]) => [data.facts[key] || key, Array.isArray(value) ? value.join(" ") : String(value)]);
  for (const event of process.events) {
    if (event.registered > 0) rows.push([`event ${event.name}`, "not offered"]);
    else if (event.registered === 0 && event.count) rows.push([`event ${event.name}`, event.count.toLocaleString("en")]);
  }
  byId("all-facts").replaceChildren(...rows.flatMap(([name, value]) => [element("dt", name), element("dd", value)]));
}

function showStates() {
  const sums = new Map(), all = {wall: 0, cpu: 0};
  process.cells.state.forEach((state, i) => {
    const sum = sums.get(stateName(state)) || {wall: 0, cpu: 0};
    for (const to of [sum, all]) { to.wall += process.cells.wall[i]; to.cpu += process.cells.cpu[i]; }
    sums.set(stateName(state), sum);
  });
  const hasCpu = process.facts.has_cpu_times;
  table("states", [{name: "state", text: true}, {name: "meaning", text: true}, {name: "wall", show: seconds}]
    .concat(hasCpu ? [{name: "processor", show: seconds}] : [], [{name: "share", show: percent}]),
    usedStates().map(name => [name, stateTable.get(name).meaning, sums.get(name).wall]
      .concat(hasCpu ? [sums.get(name).cpu] : [], [sums.get(name).wall / all.wall])), 2);
}

function showRegions() {
  const names = usedStates().filter(name => name !== "SERIAL");
  const used = process.figures.regions;
  table("regions", [
    {name: "fork location", text: true}, {name: "gain", show: seconds}, {name: "entries"}, {name: "each", show: seconds}, {name: "team"},
    {name: "work min", show: seconds}, {name: "mean", show: seconds}, {name: "max", show: seconds}, {name: "total", show: seconds},
    ...names.map(name => ({name, show: seconds})), {name: "samples"},
  ], used.map(region => [region.place, region.potential_gain, region.node < 0 ? 0 : process.nodes[region.node].entries, region.mean_length,
    region.team, region.work_min, region.work_mean, region.work_max, region.seconds,
    ...names.map(name => region.by_state[name] || 0), region.samples]), 1);
}

function showThreads() {
  const names = usedStates();
  const rows = process.threads.map(() => new Map());
  process.cells.thread.forEach((thread, i) => {
    const name = stateName(process.cells.state[i]);
    rows[thread].set(name, (rows[thread].get(name) || 0) + process.cells.wall[i]);
  });
  table("threads", [{name: "thread", text: true}, {name: "tid"}, ...names.map(name => ({name, show: seconds})), {name: "samples"}, {name: "waited"}, {name: "preempted"}],
    process.threads.map((thread, i) => [`thread ${thread.number}${thread.is_initial ? " (initial)" : ""}${thread.threads > 1 ? ` (${thread.threads} threads)` : ""}`,
      thread.tid, ...names.map(name => rows[i].get(name) || 0), thread.samples, thread.voluntary_switches || 0, thread.involuntary_switches || 0]), 1);
}

function showLocks() {
  const hasHolders = process.locks.some(lock => lock.holders);
  byId("locks-section").hidden = !process.locks.length;
  table("locks", [{name: "seconds", show: seconds}, {name: "waits"}, {name: "kind", text: true}, {name: "object", text: true}, {name: "first wait", text: true}]
    .concat(hasHolders ? [{name: "held by", text: true}] : []),
    process.locks.map(lock => [lock.wall, lock.waits, stateName(lock.state), lock.object || "0x" + lock.wait_id.toString(16), lock.first_wait]
      .concat(hasHolders ? [lock.holders.slice(0, 3).map(holder => seconds(holder.wall) + " " + holder.place).join("; ")] : [])), 0);
}

function showBlame() {
  byId("blame-section").hidden = !(process.blame || []).length;
  table("blame", [{name: "code", text: true}, {name: "thread time of others", show: seconds}, {name: "samples"}],
    (process.blame || []).map(row => [row.place, row.seconds, row.samples]), 1);
}

function showLines() {
  if (process.lines) {
    const used = usedStates();
    table("lines", [{name: "line", text: true}, {name: "total", show: seconds}, ...used.map(name => ({name, show: seconds})), {name: "text", text: true, code: true}, {name: "function", text: true}],
      process.lines.map(line => [line.source, Object.values(line.by_state).reduce((sum, each) => sum + each, 0),
        ...used.map(name => line.by_state[name] || 0), line.text, line.function]), 1);
    return;
  }
  const names = usedStates(), lines = new Map();
  process.cells.node.forEach((node, i) => {
    if (node < 0) return;
    const made = process.nodes[node], key = made.source || nodeName(made);
    if (!lines.has(key)) lines.set(key, {functions: new Set(), times: new Map(), total: 0});
    const line = lines.get(key), name = stateName(process.cells.state[i]);
    line.functions.add(nodeName(made));
    line.times.set(name, (line.times.get(name) || 0) + process.cells.wall[i]);
    line.total += process.cells.wall[i];
  });
  table("lines", [{name: "line", text: true}, {name: "function", text: true}, {name: "total", show: seconds}, ...names.map(name => ({name, show: seconds}))],
    [...lines].map(([key, line]) => [key, [...line.functions].join(", "), line.total, ...names.map(name => line.times.get(name) || 0)]), 2);
}

function show() {
  showHead();
  showVerdict();
  showStates();
  showFacts();
  showLegend();
  choices("flame-thread", [[-1, "all"], ...process.threads.map((thread, i) => [i, "thread " + thread.number])]);
  showFlame();
  prepareTimeline();
  drawTimeline();
  showRegions();
  showBlame();
  showThreads();
  showLocks();
  showLines();
  document.body.dataset.ready = "yes";
}

if (!process) { byId("program").textContent = "No process in this profile used OpenMP."; return; }
byId("process-choice").hidden = data.run.processes.length < 2;
choices("process", data.run.processes.map((each, i) => [i, `${base(each.facts.program)} pid ${each.facts.pid}${each.facts.rank ? " rank " + each.facts.rank : ""}`]));
byId("process").onchange = event => {
  process = data.run.processes[event.target.value];
  timeline = data.timelines[event.target.value];
  show();
};
byId("flame-thread").onchange = showFlame;
byId("flame-reset").onclick = () => { byId("flame-search").value = ""; showFlame(); };
byId("flame-search").oninput = event => chart && (event.target.value ? chart.search(event.target.value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")) : chart.clear());
let resized = 0;
addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(() => { showFlame(); drawTimeline(); }, 150); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawTimeline);
timelineEvents();
show();
})();
