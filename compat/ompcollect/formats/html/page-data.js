// SPDX-License-Identifier: Apache-2.0
//
// The data that the page holds: {run, states, facts, thread_counts, least_samples, sources}. `run` is
// what FORMATS.md describes, without samples, and with `node_columns` in place of `nodes`; `states` is
// the table of states in reading order, `facts` has the words for the keys of a process's facts,
// `thread_counts` the columns of counts in the table of threads;
// `sources` is there with --with-source: for each process {texts: by file, notes: what is missing}.
// The time lines, which are most of the page, come behind all scripts. One is packed (html.cpp): `node`
// and `state` of each symbol, `counts` of pieces per thread, and two streams of numbers of variable
// length, deflated: symbols (0: nothing is known, else one more than the symbol's index) and lengths in
// ticks.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
for (const process of data.run.processes) {
  const {texts, ...columns} = process.node_columns;
  process.nodes = columns.parent.map((parent, i) => ({parent, kind: columns.is_region[i] ? "region" : "function",
    function: texts[columns.function[i]], source: texts[columns.source[i]], module: texts[columns.module[i]],
    offset: columns.offset[i], entries: columns.entries[i], masters: columns.masters[i], same_as: columns.same_as[i]}));
  delete process.node_columns;
}
const kOutside = -1, kSeveral = -2, kUnknown = -3;

const stateTable = new Map(data.states.map(state => [state.name, state]));
const stateName = number => data.run.states[number];
const stateNumber = name => data.run.states.indexOf(name);
const colourOf = name => stateTable.get(name).colour;

const byId = id => document.getElementById(id);
const element = (tag, text, name) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
};
const button = (text, act) => Object.assign(element("button", text), {type: "button", onclick: act});
// As printf does, so that the page and the text agree: what lies in the middle goes to the even digit.
const fixed = (value, digits) => {
  const kMore = 20, long = value.toFixed(digits + kMore);
  if (!/^50*$/.test(long.slice(-kMore))) return value.toFixed(digits);
  const cut = long.slice(0, -kMore).replace(/\.$/, "");
  return "02468".includes(cut.slice(-1)) ? cut : value.toFixed(digits);
};
const seconds = s => {
  const size = Math.abs(s);
  if (size === 0 || size >= 100) return fixed(s, 0) + " s";
  if (size >= 0.1) return fixed(s, 2) + " s";
  return size >= 1e-3 ? fixed(s * 1e3, 1) + " ms" : fixed(s * 1e6, 1) + " us";
};
const percent = share => fixed(share * 100, share * 100 >= 9.95 ? 0 : 1) + " %";
const base = path => path.slice(path.lastIndexOf("/") + 1);
// Of a long name begin and end.
const kLongest = 160;
const bounded = name => name.length > kLongest ? name.slice(0, kLongest * 3 / 4) + "\u2026" + name.slice(-kLongest / 4) : name;

// Of the process that is shown.
let process = null;
let regionOfNode = null, outermostOfNode = null;
let usedStates = [];
let timeline = null; // unpacked; null: the order of things is not known, or not yet
let isTimelineComing = false;

function showProcess(index) {
  process = data.run.processes[index];
  const {nodes, cells} = process;
  regionOfNode = new Int32Array(nodes.length);
  outermostOfNode = new Int32Array(nodes.length);
  nodes.forEach((node, i) => {
    const own = node.kind === "region" ? (node.same_as >= 0 ? node.same_as : i) : -1;
    const above = node.parent >= 0 ? regionOfNode[node.parent] : kOutside;
    const outer = node.parent >= 0 ? outermostOfNode[node.parent] : kOutside;
    regionOfNode[i] = own >= 0 ? own : above;
    outermostOfNode[i] = outer >= 0 ? outer : own >= 0 ? own : kOutside;
  });
  const sums = new Float64Array(data.run.states.length);
  cells.state.forEach((state, i) => { sums[state] += cells.wall[i]; });
  usedStates = [...stateTable.keys()].filter(name => sums[stateNumber(name)] > 0);
}

const nodeName = node => bounded(node.function || node.source ||
  (node.module ? base(node.module) + "+0x" + node.offset.toString(16) : "(unknown code)"));
const placeName = at => {
  if (at === kOutside) return "(outside any region)";
  if (at === kSeveral) return "(idle while several outermost regions ran)";
  if (at === kUnknown) return "(region whose fork was not seen)";
  const node = process.nodes[at];
  // The name of a line of Python ends with it.
  const needsSource = node.source && node.function && !node.function.endsWith(" " + node.source);
  return nodeName(node) + (needsSource ? " " + node.source : "");
};
// The region of a node or a special number: below 0 there is none.
const regionOf = at => at >= 0 ? regionOfNode[at] : at;
const threadName = thread => `thread ${thread.number}${thread.is_initial ? " (initial)" : ""}${thread.threads > 1 ? ` (${thread.threads} threads)` : ""}`;

// There when the page is whole: what needs none is shown before.
const isWhole = new Promise(done => {
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", done); else done();
});
let timelines = null;
async function timelineOf(index) {
  await isWhole;
  timelines ??= JSON.parse(byId("timelines").textContent);
  return unpackedTimeline(timelines[index]);
}

async function inflated(text) {
  const packed = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// {node, state: of each symbol; begin: seconds, key: symbol or -1; first: of each thread}. A piece
// ends where the next one begins; behind a thread's last there is a begin more.
async function unpackedTimeline(packed) {
  if (!packed || !packed.symbols) return null;
  const [symbols, lengths] = await Promise.all([inflated(packed.symbols), inflated(packed.lengths)]);
  const pieces = packed.counts.reduce((sum, each) => sum + each, 0), threads = packed.counts.length;
  const line = {node: packed.node, state: packed.state, tick: packed.tick_us / 1e6, first: new Int32Array(threads + 1),
    begin: new Float64Array(pieces + threads), key: new Int32Array(pieces + threads).fill(-1), end: 0};
  let at = 0, s = 0, l = 0;
  for (let thread = 0; thread < threads; ++thread) {
    let now = 0;
    line.first[thread] = at;
    for (let i = 0; i < packed.counts[thread]; ++i) {
      let symbol = symbols[s++], length = lengths[l++];
      for (let factor = 128; symbols[s - 1] > 127; factor *= 128) symbol += (symbols[s++] - 1) * factor;
      for (let factor = 128; lengths[l - 1] > 127; factor *= 128) length += (lengths[l++] - 1) * factor;
      line.begin[at] = now * line.tick;
      line.key[at++] = symbol - 1;
      now += length;
    }
    line.begin[at++] = now * line.tick;
    line.end = Math.max(line.end, now * line.tick);
  }
  line.first[threads] = at;
  return line;
}

// The first piece of a thread that ends behind a time.
function firstEndingAfter(thread, time) {
  let low = timeline.first[thread], high = timeline.first[thread + 1] - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeline.begin[middle + 1] <= time) low = middle + 1; else high = middle;
  }
  return low;
}
