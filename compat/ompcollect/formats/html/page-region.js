// SPDX-License-Identifier: Apache-2.0
//
// What the page tells of the selected region: its figures, threads, source lines and call paths.
"use strict";
function showRegion() {
  const at = selection.region;
  byId("region-panel").hidden = at === null;
  if (at === null) return;
  byId("region-head").textContent = "Region: " + placeName(at);
  const figures = process.figures.regions.find(region => region.node === at);
  const facts = figures ? [
    ["instances", at >= 0 ? process.nodes[at].entries.toLocaleString("en") : "\u2013"], ["length of each", seconds(figures.mean_length)],
    ["team", `${figures.team} threads, ${figures.threads} different ones`], ["elapsed in it", seconds(figures.elapsed)],
    ["potential gain", seconds(figures.potential_gain)],
    ["work of a thread", `${seconds(figures.work_min)} least, ${seconds(figures.work_mean)} mean, ${seconds(figures.work_max)} most`],
    ["thread time", seconds(figures.seconds)], ["samples", figures.samples.toLocaleString("en")],
  ] : [["figures", "none: no time was seen in it"]];
  const number = {"instances": at >= 0 ? process.nodes[at].entries : null, "potential gain": figures?.potential_gain,
    "length of each": figures?.mean_length, "thread time": figures?.seconds, "samples": figures?.samples, "elapsed in it": figures?.elapsed};
  byId("region-facts").replaceChildren(...facts.flatMap(([name, text]) => {
    const made = element("dd", text);
    if (number[name] !== undefined && number[name] !== null) made.dataset.value = number[name];
    made.dataset.name = name;
    return [element("dt", name), made];
  }));
  showRegionThreads();
  showRegionLines();
  showRegionCallers(at);
}

// Which thread is late: its work beside the others', how long each waited in barriers, and what else
// took time.
const kOtherTimes = [["mutex waits", ["mutex"]], ["runtime", ["runtime", "reduction"]], ["no processor", ["no processor"]],
  ["asleep", ["asleep"]], ["idle", ["idle"]], ["other", ["other"]]];
function showRegionThreads() {
  const sums = sumsBy(thread => thread, "thread"), kinds = name => data.states.find(state => state.name === name).kind;
  const of = (sum, ...wanted) => [...sum.states].reduce((all, [name, wall]) => all + (wanted.includes(kinds(name)) ? wall : 0), 0);
  const most = Math.max(...[...sums.values()].map(sum => of(sum, "useful")), 0);
  const others = kOtherTimes.filter(([, wanted]) => [...sums.values()].some(sum => of(sum, ...wanted) > 0));
  table("region-threads", [{name: "thread", text: true}, {name: "work", show: seconds}, {name: "of the most", show: percent},
    {name: "barrier waits", show: seconds}, ...others.map(([name]) => ({name, show: seconds})), {name: "total", show: seconds}],
  [...sums].map(([i, sum]) => ({key: i, is_chosen: selection.thread === i, choose: () => toggle("thread", i),
    values: [threadName(process.threads[i]), of(sum, "useful"), most > 0 ? of(sum, "useful") / most : 0, of(sum, "barrier"),
      ...others.map(([, wanted]) => of(sum, ...wanted)), sum.total]})), "work");
}

const placeOfLine = source => {
  const colon = source.lastIndexOf(":");
  return {file: source.slice(0, colon), number: Number(source.slice(colon + 1))};
};

// With sources in the page: the text about each line that has time.
const kAround = 4, kMostFiles = 8, kMostNotes = 8;
const linesOfFiles = new Map(); // by process and file: its lines
function linesOfFile(file) {
  const text = data.sources?.[selection.process].texts[file], key = selection.process + " " + file;
  if (text === undefined) return null;
  if (!linesOfFiles.has(key)) linesOfFiles.set(key, text.split("\n"));
  return linesOfFiles.get(key);
}

const textOf = line => {
  const {file, number} = placeOfLine(line);
  return linesOfFile(file)?.[number - 1]?.trim() ?? "";
};

function showSourceNotes() {
  const notes = data.sources ? data.sources[selection.process].notes
    : ["the page has no text around these lines; ompcollect report --with-source keeps it"];
  const rest = notes.length - kMostNotes;
  byId("region-source-notes").replaceChildren(...notes.slice(0, kMostNotes).map(note => element("li", bounded(note) + ".")),
    ...(rest > 0 ? [element("li", `and ${rest} more files.`)] : []));
}

function showRegionLines() {
  const lines = selectedLines(), files = new Map();
  showSourceNotes();
  const names = usedStates.filter(name => [...lines.values()].some(sum => sum.states.has(name)));
  linesTable("region-lines", names, [...lines].map(([line, sum]) => ({values: [line, sum.total, ...stateValues(names, sum.states), sum.functions, sum.text || textOf(line)]})));
  for (const [line, sum] of lines) {
    const {file, number} = placeOfLine(line);
    if (!linesOfFile(file)) continue;
    if (!files.has(file)) files.set(file, new Map());
    files.get(file).set(number, sum);
  }
  const total = [...lines.values()].reduce((all, sum) => all + sum.total, 0);
  byId("region-source").replaceChildren(...[...files].slice(0, kMostFiles).flatMap(([file, times]) => {
    const text = linesOfFile(file), near = new Set(), made = element("table", undefined, "source"), body = made.createTBody();
    for (const number of times.keys()) for (let i = number - kAround; i <= number + kAround; ++i) if (i >= 1 && i <= text.length) near.add(i);
    let before = 0;
    for (const number of [...near].sort((a, b) => a - b)) {
      if (before && number > before + 1) body.insertRow().insertCell().textContent = "\u22ee";
      const row = body.insertRow(), sum = times.get(number);
      row.insertCell().textContent = number;
      const time = row.insertCell();
      if (sum) { time.textContent = `${seconds(sum.total)} ${percent(sum.total / total)}`; time.dataset.value = sum.total; row.className = "hot"; }
      Object.assign(row.insertCell(), {textContent: text[number - 1], className: "text code"});
      before = number;
    }
    const frame = element("div", undefined, "wide");
    frame.append(made);
    return [element("h4", file), frame];
  }));
}

// Each call path that leads to the region, with the time that it brought.
function showRegionCallers(region) {
  const rows = new Map();
  forEachCell((thread, node, state, wall) => {
    let at = node;
    while (at >= 0 && process.nodes[at].kind !== "region") at = process.nodes[at].parent;
    if (at < 0) return;
    rows.set(at, (rows.get(at) || 0) + wall);
  });
  const path = at => {
    const names = [];
    for (at = process.nodes[at].parent; at >= 0; at = process.nodes[at].parent) names.unshift(placeName(at));
    return names.length > 12 ? "\u2026 \u203a " + names.slice(-12).join(" \u203a ") : names.join(" \u203a ") || "(not known)";
  };
  const all = [...rows.values()].reduce((sum, wall) => sum + wall, 0);
  table("region-callers", [{name: "call path", text: true, whole: true}, {name: "time", show: seconds}, {name: "share", show: percent}],
    region < 0 ? [] : [...rows].map(([at, wall]) => ({values: [path(at), wall, all > 0 ? wall / all : 0]})), "time");
}
