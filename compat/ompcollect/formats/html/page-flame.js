// SPDX-License-Identifier: Apache-2.0
//
// The flame graph of the selection, from the program down, from the code up to its callers, or by
// state. d3-flame-graph draws it; trees, search and keys are here.
"use strict";

const frameOf = (name, more) => ({name, value: 0, children: [], times: {}, ...more});
const addTime = (frame, state, wall) => {
  frame.value += wall;
  frame.times[state] = (frame.times[state] || 0) + wall;
};
const nodeFrame = at => frameOf(nodeName(process.nodes[at]) + (process.nodes[at].kind === "region" ? " [region]" : ""),
  {place: process.nodes[at].source, node: at});
const leafName = (at, state) => stateTable.get(state).frame || (at < 0 ? "(serial)" : "");

// Thread time by node and state of the selection.
function timeByNode() {
  const sums = new Map();
  forEachCell((thread, node, state, wall) => {
    if (!(wall > 0)) return;
    if (!sums.has(state)) sums.set(state, new Map());
    const of = sums.get(state);
    of.set(node, (of.get(node) || 0) + wall);
  });
  return sums;
}

// Puts call paths below a root: {state: {node: seconds}}.
function addPaths(root, sums) {
  const frames = [], special = new Map(), leaves = new Map();
  const of = at => {
    if (at >= 0) return frames[at] || (frames[at] = nodeFrame(at));
    if (at !== kUnknown && at !== kSeveral) return root;
    if (!special.has(at)) special.set(at, frameOf(placeName(at), {node: at}));
    return special.get(at);
  };
  for (const [number, nodes] of sums) {
    const state = stateName(number);
    for (const [node, wall] of nodes) {
      const frame = of(node), leaf = leafName(node, state);
      addTime(frame, state, wall);
      if (!leaf) continue;
      const key = node + " " + state;
      if (!leaves.has(key)) { leaves.set(key, frameOf(leaf, {node, state})); frame.children.push(leaves.get(key)); }
      addTime(leaves.get(key), state, wall);
    }
  }
  for (let i = process.nodes.length - 1; i >= 0; --i) {
    if (!frames[i]) continue;
    const parent = of(process.nodes[i].parent >= 0 ? process.nodes[i].parent : kOutside);
    parent.children.push(frames[i]);
    for (const state in frames[i].times) addTime(parent, state, frames[i].times[state]);
  }
  for (const frame of special.values()) {
    root.children.push(frame);
    for (const state in frame.times) addTime(root, state, frame.times[state]);
  }
}

// Each function of the code as a root, its callers above one another.
function addCallers(root, sums) {
  const below = (frame, key, make) => {
    const children = frame.byKey || (frame.byKey = new Map());
    if (!children.has(key)) { const made = make(); children.set(key, made); frame.children.push(made); }
    return children.get(key);
  };
  for (const [number, nodes] of sums) {
    const state = stateName(number);
    for (const [node, wall] of nodes) {
      addTime(root, state, wall);
      let frame = root;
      const leaf = leafName(node, state);
      if (leaf) addTime(frame = below(frame, leaf, () => frameOf(leaf, {node, state})), state, wall);
      if (node < kOutside) addTime(below(frame, node, () => frameOf(placeName(node), {node})), state, wall);
      for (let at = node; at >= 0; at = process.nodes[at].parent) {
        const made = process.nodes[at];
        frame = below(frame, `${made.kind} ${made.function} ${made.source} ${made.function || made.source ? "" : made.offset}`, () => nodeFrame(at));
        addTime(frame, state, wall);
      }
    }
  }
}

function flameTree() {
  const root = frameOf(bounded(base(process.facts.program)), {node: kOutside}), sums = timeByNode();
  if (selection.order === "callers") addCallers(root, sums);
  else if (selection.order === "paths") addPaths(root, sums);
  else {
    for (const [number, nodes] of sums) {
      const state = stateName(number), frame = frameOf(`${state} ${stateTable.get(state).words}`, {state, node: kOutside});
      addPaths(frame, new Map([[number, nodes]]));
      root.children.push(frame);
      addTime(root, state, frame.value);
    }
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

let chart = null, tree = null, cursor = null; // cursor: the frame on which the keys are
function wordsOf(frame) {
  const parts = Object.entries(frame.times).sort((a, b) => b[1] - a[1]).slice(0, 4).map(([name, time]) => `${name} ${seconds(time)}`);
  return `${frame.name}${frame.place ? " " + frame.place : ""}: ${seconds(frame.value)} (${percent(frame.value / tree.value)}) \u2014 ${parts.join(", ")}`;
}

function showFlame(before) {
  const parts = ["process", "region", "thread", "state", "span", "order"];
  if (before && parts.every(part => String(before[part]) === String(selection[part]))) { searchFlame(); return; }
  choices("flame-thread", [["", "all"], ...process.threads.map((thread, i) => [i, "thread " + thread.number])], selection.thread);
  choices("flame-state", [["", "all"], ...usedStates.map(name => [name, `${name} ${stateTable.get(name).words}`])], selection.state);
  byId("flame-order").value = selection.order;
  tree = flameTree();
  cursor = null;
  byId("flame").replaceChildren();
  byId("flame").dataset.value = tree.value;
  byId("flame-detail").textContent = "";
  chart = null;
  if (tree.value > 0) {
    chart = flamegraph.default().width(byId("flame").clientWidth || 1200).cellHeight(19).transitionDuration(0).minFrameSize(1.5)
      .inverted(true).sort((a, b) => b.value - a.value)
      .setColorMapper(d => d.highlight ? "#ff8df0" : blended(d.data.times))
      .setSearchHandler(() => {}) // it counts in samples; searchFlame() has the words
      .setSearchMatch((d, text) => isMatch(d.data, text)).setLabelHandler(d => wordsOf(d.data)).setDetailsElement(byId("flame-detail")).onClick(d => { cursor = d; chooseFrame(d.data); });
    d3.select("#flame").datum(tree).call(chart);
  } else byId("flame").textContent = "No time to show.";
  searchFlame();
}

// A region's frame selects it. A click on others, which fills the width, is the library's.
function chooseFrame(frame) {
  if (frame.node >= 0 && !frame.state && process.nodes[frame.node].kind === "region") select({region: regionOf(frame.node)});
}

const isMatch = (frame, text) => frame !== tree && frame.name.toLowerCase().includes(text.toLowerCase());

// Frames whose name has the text, and the share of time below them: time below two is counted once.
function matchesOf(text) {
  const names = new Set();
  let frames = 0, time = 0;
  const walk = (frame, isBelow) => {
    const matches = isMatch(frame, text);
    if (matches) { ++frames; names.add(frame.name); if (!isBelow) time += frame.value; }
    for (const child of frame.children) walk(child, isBelow || matches);
  };
  walk(tree, false);
  return {frames, names: names.size, time};
}

function searchFlame() {
  const text = selection.search;
  if (byId("flame-search").value !== text) byId("flame-search").value = text;
  const found = text && tree ? matchesOf(text) : null;
  byId("flame-matches").textContent = found ? `${found.frames} ${found.frames === 1 ? "frame" : "frames"}, ${found.names} ${found.names === 1 ? "name" : "names"}, ${seconds(found.time)}, ${percent(tree.value > 0 ? found.time / tree.value : 0)}` : "";
  if (found) byId("flame-matches").dataset.value = found.time; else delete byId("flame-matches").dataset.value;
  if (!chart) return;
  if (text) chart.search(text); else chart.clear();
}

// Where the keys are is outlined, as the library draws no focus.
function moveTo(frame) {
  if (!frame) return;
  cursor = frame;
  d3.select("#flame").selectAll("g.frame").classed("cursor", d => d === cursor);
  byId("flame-detail").textContent = wordsOf(cursor.data);
}

// On paper the graph is as wide as the paper: what was drawn is scaled.
function fitForPaper(isPaper) {
  const picture = byId("flame").querySelector("svg");
  if (!picture) return;
  if (isPaper) picture.setAttribute("viewBox", `0 0 ${picture.getAttribute("width")} ${picture.getAttribute("height")}`);
  else picture.removeAttribute("viewBox");
}

function flameEvents() {
  addEventListener("beforeprint", () => fitForPaper(true));
  addEventListener("afterprint", () => fitForPaper(false));
  const seen = () => d3.select("#flame").selectAll("g.frame").data();
  byId("flame").addEventListener("keydown", event => {
    if (!chart) return;
    const all = seen(), at = all.includes(cursor) ? cursor : all.find(d => !d.parent) || all[0];
    const drawn = new Set(all), siblings = at.parent ? at.parent.children.filter(d => drawn.has(d)).sort((a, b) => b.value - a.value) : [at];
    const first = (at.children || []).filter(d => drawn.has(d)).sort((a, b) => b.value - a.value)[0];
    const moves = {ArrowDown: first, ArrowUp: at.parent, ArrowRight: siblings[siblings.indexOf(at) + 1], ArrowLeft: siblings[siblings.indexOf(at) - 1], Home: all.find(d => !d.parent)};
    if (event.key in moves) { event.preventDefault(); moveTo(cursor ? moves[event.key] : at); }
    else if (event.key === "Enter" && cursor) { chart.zoomTo(cursor); chooseFrame(cursor.data); }
    else if (event.key === "s" && cursor?.data.state) toggle("state", cursor.data.state);
    else if (event.key === "Escape") { chart.resetZoom(); moveTo(all.find(d => !d.parent)); }
  });
  const number = text => text === "" ? null : Number(text);
  byId("flame-thread").onchange = event => select({thread: number(event.target.value)});
  byId("flame-state").onchange = event => select({state: event.target.value || null});
  byId("flame-order").onchange = event => select({order: event.target.value});
  byId("flame-search").oninput = event => select({search: event.target.value});
  byId("flame-reset").onclick = () => { select({search: ""}); if (chart) chart.resetZoom(); };
}
