// SPDX-License-Identifier: Apache-2.0
//
// Head, verdict and tables. A table in which a part of the selection is chosen shows all its rows,
// by the rest of the selection, and marks the chosen one.
"use strict";
const kRowsShown = 200, kLeastShare = 0.001;
const sortedBy = new Map(); // id of a table: {name of the column, down}

// Rows are {values, key, is_chosen, choose}; a column is {name, text, code, show}. A click on a head
// sorts; a click on a row that can be chosen chooses it.
function table(id, columns, rows, sortBy) {
  const at = byId(id);
  at.replaceChildren();
  const head = at.createTHead().insertRow(), body = at.createTBody();
  let all = false;
  const line = row => {
    const made = body.insertRow();
    columns.forEach((column, i) => {
      const cell = made.insertCell(), value = row.values[i];
      const text = value === null ? "\u2013" : column.show ? column.show(value) : String(value);
      cell.textContent = column.text && !column.whole ? bounded(text) : text;
      if (column.text) { cell.className = column.code ? "text code" : "text"; cell.title = bounded(text); }
      else cell.dataset.value = value;
    });
    if (!row.choose) return;
    made.className = "choice";
    made.tabIndex = 0;
    made.setAttribute("aria-selected", Boolean(row.is_chosen));
    made.dataset.key = row.key;
    made.onclick = row.choose;
    made.onkeydown = event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); row.choose(); byId(id).querySelector(`[data-key="${row.key}"]`)?.focus(); }
      if (event.key === "ArrowDown") { event.preventDefault(); made.nextElementSibling?.focus(); }
      if (event.key === "ArrowUp") { event.preventDefault(); made.previousElementSibling?.focus(); }
    };
  };
  const fill = () => {
    body.replaceChildren();
    (all ? rows : rows.filter((row, i) => i < kRowsShown || row.is_chosen)).forEach(line);
    at.querySelector("caption")?.remove();
    if (!all && rows.length > kRowsShown) {
      at.createCaption().append(`${kRowsShown} of ${rows.length} rows. `, button(`Show all ${rows.length} rows`, () => { all = true; fill(); }));
    }
  };
  const buttons = [];
  const sort = (i, down) => {
    const sign = down ? -1 : 1;
    rows.sort((a, b) => sign * (columns[i].text ? a.values[i].localeCompare(b.values[i]) : a.values[i] - b.values[i]));
    [...head.cells].forEach((cell, k) => cell.setAttribute("aria-sort", k !== i ? "none" : down ? "descending" : "ascending"));
    fill();
  };
  columns.forEach((column, i) => {
    const cell = element("th", undefined, column.text ? "text" : "");
    cell.scope = "col";
    cell.append(button(column.name, () => {
      const down = cell.getAttribute("aria-sort") !== "descending";
      sortedBy.set(id, {name: column.name, down});
      sort(i, down);
    }));
    head.append(cell);
  });
  const kept = sortedBy.get(id), index = kept ? columns.findIndex(column => column.name === kept.name) : -1;
  sort(index >= 0 ? index : columns.findIndex(column => column.name === sortBy), index >= 0 ? kept.down : true);
}

function showHead() {
  const facts = process.facts, figures = process.figures;
  document.title = bounded(base(facts.program)) + " - OpenMP profile";
  byId("program").textContent = bounded([facts.program, ...facts.arguments.slice(1)].join(" "));
  byId("facts").textContent = [
    "pid " + facts.pid, facts.rank && "rank " + facts.rank, facts.host,
    facts.begin > 0 && new Date(facts.begin * 1000).toISOString().replace("T", " ").slice(0, 19) + " UTC",
    seconds(figures.elapsed) + " elapsed", figures.threads + " threads", facts.runtime,
    facts.how_it_ended || (facts.exit_code >= 0 ? "exit code " + facts.exit_code : facts.ending === "none" ? "end not seen" : facts.ending),
    figures.samples.toLocaleString("en") + " samples at " + facts.rate + " a second" + (figures.samples ? `, shares \u00b1${percent(1 / Math.sqrt(figures.samples))} at most` : ""),
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

// Of what so few samples show no figure would be true; the text has the same words.
const isTooShort = () => process.figures.samples < data.least_samples && !process.findings.length;

function showEfficiency() {
  const f = process.figures;
  if (isTooShort()) byId("efficiency").replaceChildren(element("p", `None. Of ${f.samples} ${f.samples === 1 ? "sample" : "samples"} nobody can tell where the time goes (a longer run, or --rate).`));
  else byId("efficiency").replaceChildren(
    tile(f.parallel_efficiency, `parallel efficiency, \u00b1${percent(Math.min(1, f.parallel_efficiency_error))}`, "main", "parallel"), element("span", "=", "sign"),
    ...(f.mpi_efficiency < 1 ? [tile(f.mpi_efficiency, "MPI", "", "mpi"), element("span", "\u00d7", "sign")] : []),
    tile(f.serialisation_efficiency, `serialisation: ${seconds(f.serial)} outside regions`, "", "serialisation"),
    element("span", "\u00d7", "sign"), tile(f.load_balance, "load balance", "", "balance"),
    element("span", "\u00d7", "sign"), tile(f.scheduling_efficiency, "scheduling and runtime", "", "scheduling"));
  byId("notes").textContent = f.on_processor < 0.9 ? `Threads at work had a processor for ${percent(f.on_processor)} of the time.` : "";
  byId("warnings").replaceChildren(...process.warnings.map(warning => element("li", `${["doubt", "loss"].includes(warning.severity) ? "Warning: " : ""}${bounded(warning.text)}.`, warning.severity)));
}

// Thread time of the selection at the places of a finding: of a place outside regions its own, of a
// region all in it.
function selectedTimes(findings) {
  const of = new Map(findings.map(finding => [finding, 0])), byRegion = new Map(), byNode = new Map();
  const add = (map, key, finding) => map.set(key, (map.get(key) || new Set()).add(finding));
  for (const finding of findings) {
    for (const {node} of finding.places) {
      if (node >= 0 && process.nodes[node].kind !== "region") add(byNode, node, finding);
      else add(byRegion, regionOf(node), finding);
    }
  }
  const under = at => { // the findings of a node or of one above it
    for (; at >= 0; at = process.nodes[at].parent) if (byNode.has(at)) return byNode.get(at);
    return null;
  };
  const known = new Map();
  forEachCell((thread, node, state, wall) => {
    if (!known.has(node)) known.set(node, new Set([...(byRegion.get(regionOf(node)) || []), ...(under(node) || [])]));
    for (const finding of known.get(node)) of.set(finding, of.get(finding) + wall);
  });
  return of;
}

function showFindings() {
  const f = process.figures, narrowed = isNarrowed(), times = narrowed ? selectedTimes(process.findings) : null;
  const shown = process.findings.filter(finding => !narrowed || times.get(finding) > 0);
  const items = shown.map(finding => {
    const item = element("li"), title = element("p"), bar = element("div", undefined, "bar"), part = element("i");
    title.append(element("span", `${seconds(finding.seconds)} (${percent(finding.share)})`, "cost"), " ");
    const region = regionOf(finding.node);
    if (region >= 0) {
      const link = button(bounded(finding.place), () => toggle("region", region));
      link.setAttribute("aria-pressed", selection.region === region);
      title.append(link);
    } else title.append(bounded(finding.place));
    title.append(" ", element("span", finding.cause, "cause"));
    title.dataset.value = finding.seconds;
    part.style.width = Math.min(100, finding.share * 100) + "%";
    bar.append(part);
    const more = finding.places.slice(1, 4).filter(at => at.share >= kLeastShare).map(at => `${bounded(at.place)} ${percent(at.share)}`);
    item.append(title, bar, element("p", bounded(finding.evidence) + "."), ...(more.length ? [element("p", "also at " + more.join(", "))] : []),
      element("p", "\u2192 " + finding.cure));
    if (narrowed) item.append(element("p", `Of the selection ${seconds(times.get(finding))} of thread time lie at its places.`, "cause"));
    return item;
  });
  const hidden = process.findings.length - shown.length;
  if (hidden) items.push(element("li", `${hidden} more ${hidden === 1 ? "finding has" : "findings have"} no time in the selection.`, "none"));
  if (!process.findings.length && !isTooShort()) items.push(element("li", f.lost < 0.05 ? `No time is lost in waits (${percent(f.lost)}). Slow code is not seen here.` : `${percent(f.lost)} are lost. No cause has samples enough to be named.`, "none"));
  byId("findings").replaceChildren(...items);
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
  const hasCpu = process.facts.has_cpu_times && !(selection.span && timeline);
  forEachCell((thread, node, state, wall, row) => {
    const name = stateName(state), sum = sums.get(name) || {wall: 0, cpu: 0};
    for (const to of [sum, all]) { to.wall += wall; if (hasCpu) to.cpu += process.cells.cpu[row]; }
    sums.set(name, sum);
  }, "state");
  table("states", [{name: "state", text: true}, {name: "meaning", text: true}, {name: "wall", show: seconds},
    ...(hasCpu ? [{name: "processor", show: seconds}] : []), {name: "share", show: percent}],
  usedStates.filter(name => sums.has(name)).map(name => ({
    key: name, is_chosen: selection.state === name, choose: () => toggle("state", name),
    values: [name, stateTable.get(name).meaning, sums.get(name).wall, ...(hasCpu ? [sums.get(name).cpu] : []), sums.get(name).wall / all.wall],
  })), "wall");
}

// Seconds by state for each key that keyOf(thread, node) gives.
function sumsBy(keyOf, free) {
  const sums = new Map();
  forEachCell((thread, node, state, wall) => {
    const key = keyOf(thread, node);
    if (key === null) return;
    if (!sums.has(key)) sums.set(key, {total: 0, states: new Map()});
    const sum = sums.get(key), name = stateName(state);
    sum.total += wall;
    sum.states.set(name, (sum.states.get(name) || 0) + wall);
  }, free);
  return sums;
}
const stateColumns = names => names.map(name => ({name, show: seconds}));
const stateValues = (names, states) => names.map(name => states.get(name) || 0);

function showRegions() {
  const names = usedStates.filter(name => name !== "SERIAL"), regions = process.figures.regions;
  const choice = node => ({key: node, is_chosen: selection.region === node, choose: () => toggle("region", node)});
  if (!isNarrowed("region")) {
    table("regions", [
      {name: "fork location", text: true}, {name: "gain", show: seconds}, {name: "entries"}, {name: "each", show: seconds}, {name: "team"},
      {name: "work min", show: seconds}, {name: "mean", show: seconds}, {name: "max", show: seconds}, {name: "total", show: seconds},
      ...stateColumns(names), {name: "samples"},
    ], regions.map(region => ({...choice(region.node), values: [region.place, region.potential_gain, region.node < 0 ? 0 : process.nodes[region.node].entries,
      region.mean_length, region.team, region.work_min, region.work_mean, region.work_max, region.seconds,
      ...names.map(name => region.by_state[name] || 0), region.samples]})), "gain");
    return;
  }
  const sums = sumsBy((thread, node) => regionOf(node) === kOutside ? null : regionOf(node), "region");
  table("regions", [{name: "fork location", text: true}, {name: "total", show: seconds}, ...stateColumns(names)],
    [...sums].map(([node, sum]) => ({...choice(node), values: [placeName(node), sum.total, ...stateValues(names, sum.states)]})), "total");
}

function showThreads() {
  const sums = sumsBy(thread => thread, "thread"), isPart = isNarrowed("thread");
  table("threads", [{name: "thread", text: true}, {name: "tid"}, ...stateColumns(usedStates),
    ...(isPart ? [{name: "total", show: seconds}] : [{name: "samples"}, ...data.thread_counts.map(count => ({name: count.heading}))])],
  process.threads.map((thread, i) => {
    const sum = sums.get(i) || {total: 0, states: new Map()};
    return {key: i, is_chosen: selection.thread === i, choose: () => toggle("thread", i),
      values: [threadName(thread), thread.tid, ...stateValues(usedStates, sum.states),
        ...(isPart ? [sum.total] : [thread.samples, ...data.thread_counts.map(count => thread[count.name] || 0)])]};
  }), usedStates[0] || "tid");
}

// Of locks and of blame the run's own figures; with a region or a state those that belong to it.
function showLocks() {
  const rows = process.locks.filter(lock => selection.state === null || stateName(lock.state) === selection.state);
  const hasHolders = process.locks.some(lock => lock.holders);
  byId("locks-section").hidden = !rows.length;
  table("locks", [{name: "seconds", show: seconds}, {name: "waits"}, {name: "kind", text: true}, {name: "object", text: true}, {name: "first wait", text: true},
    ...(hasHolders ? [{name: "held by", text: true}] : [])],
  rows.map(lock => ({values: [lock.wall, lock.waits, stateName(lock.state), lock.object || "0x" + lock.wait_id.toString(16), lock.first_wait,
    ...(hasHolders ? [lock.holders.slice(0, 3).map(holder => seconds(holder.wall) + " " + bounded(holder.place)).join("; ")] : [])]})), "seconds");
}

function showBlame() {
  const rows = (process.blame || []).filter(row => selection.region === null || regionOf(row.node) === selection.region);
  byId("blame-section").hidden = !rows.length;
  table("blame", [{name: "code", text: true}, {name: "thread time of others", show: seconds}, {name: "samples"}],
    rows.map(row => ({values: [row.place, row.seconds, row.samples]})), "thread time of others");
}

// The nearest line at or above a node.
function lineOf(at) {
  while (at >= 0 && !process.nodes[at].source) at = process.nodes[at].parent;
  return at >= 0 ? process.nodes[at].source : null;
}

// {line: {total, states, functions, text}} of what is selected, from the cells.
function selectedLines() {
  const texts = new Map((process.lines || []).map(line => [line.source, line.text]));
  const sums = sumsBy((thread, node) => lineOf(node));
  const functions = new Map();
  forEachCell((thread, node) => {
    const line = lineOf(node);
    if (line === null) return;
    while (!process.nodes[node].source) node = process.nodes[node].parent;
    functions.set(line, (functions.get(line) || new Set()).add(nodeName(process.nodes[node])));
  });
  for (const [line, sum] of sums) { sum.text = texts.get(line) || ""; sum.functions = [...functions.get(line)].join(", "); }
  return sums;
}

const linesTable = (id, states, rows) => table(id, [{name: "line", text: true}, {name: "total", show: seconds}, ...stateColumns(states),
  {name: "function", text: true}, {name: "text", text: true, code: true}], rows, "total");
function showLines() {
  if (process.lines && !isNarrowed()) {
    linesTable("lines", usedStates, process.lines.map(line => ({values: [line.source, Object.values(line.by_state).reduce((sum, each) => sum + each, 0),
      ...usedStates.map(name => line.by_state[name] || 0), line.function, line.text]})));
    return;
  }
  linesTable("lines", usedStates, [...selectedLines()].map(([line, sum]) => ({values: [line, sum.total, ...stateValues(usedStates, sum.states), sum.functions, sum.text]})));
}
