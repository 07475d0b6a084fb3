/* SPDX-License-Identifier: Apache-2.0 */
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
const element = (name, text) => Object.assign(document.createElement(name), {textContent: text ?? ""});
const percent = share => (share < 0.1 ? (share * 100).toFixed(1) : Math.round(share * 100)) + " %";
const seconds = time => time >= 1 ? time.toFixed(2) + " s" : time >= 1e-3 ? (time * 1e3).toFixed(1) + " ms" : (time * 1e6).toFixed(0) + " \u00b5s";
const ranks = data.ranks, classes = data.classes, states = data.states;
const rankName = i => ranks[i].rank >= 0 ? "rank " + ranks[i].rank : "pid " + ranks[i].pid;

function showHead() {
  byId("program").textContent = data.program;
  byId("facts").textContent = `${ranks.length} ranks on ${new Set(ranks.map(r => r.host)).size} hosts, ${seconds(data.efficiency.elapsed)} elapsed`;
  const tiles = [["parallel", "parallel efficiency", "="], ["mpi_load_balance", "MPI load balance", "\u00d7"],
    ["mpi_communication", "MPI communication", "\u00d7"], ["openmp_serialisation", "serialisation", "\u00d7"],
    ["openmp_load_balance", "OpenMP load balance", "\u00d7"], ["openmp_scheduling", "scheduling", ""]];
  for (const [key, words, sign] of tiles) {
    const tile = element("div");
    tile.className = "tile" + (key === "parallel" ? " main" : "");
    tile.append(element("b", percent(data.efficiency[key])), element("span", words));
    byId("efficiency").append(tile);
    if (sign) byId("efficiency").append(Object.assign(element("span", sign), {className: "sign"}));
  }
  byId("warnings").append(...data.doubts.map(text => element("li", text)));
  for (const finding of data.findings) {
    const item = element("li"), cost = element("span", `${seconds(finding.seconds)} of threads (${percent(finding.share)})`);
    cost.className = "cost";
    item.append(cost, `: ${finding.cause}`, Object.assign(element("p", finding.text), {className: "cause"}), element("p", finding.cure));
    byId("findings").append(item);
  }
}

// Samples by rank, bin and column: bins[rank] = [bin, column, samples, bin, ...].
const columns = data.columns; // {name, colour, class}
let order = [], what = "most";
function shareColour(share, colour) {
  const base = document.documentElement.dataset.dark ? 29 : 245;
  const rgb = d3.rgb(colour);
  const at = value => Math.round(base + (value - base) * Math.sqrt(share));
  return [at(rgb.r), at(rgb.g), at(rgb.b)];
}
function choose(match) { // share of the samples of each bin that match, and the colour
  return (rank, put) => {
    const all = new Float64Array(data.bins_of_rank), some = new Float64Array(data.bins_of_rank);
    const list = data.bins[rank];
    for (let i = 0; i < list.length; i += 3) {
      all[list[i]] += list[i + 2];
      if (match.of(columns[list[i + 1]])) some[list[i]] += list[i + 2];
    }
    for (let bin = 0; bin < all.length; ++bin) if (all[bin]) put(bin, shareColour(some[bin] / all[bin], match.colour));
  };
}
function most(rank, put) {
  const best = new Float64Array(data.bins_of_rank), by = new Map(), list = data.bins[rank];
  for (let i = 0; i < list.length; i += 3) {
    const key = list[i] * 64 + columns[list[i + 1]].class;
    by.set(key, (by.get(key) || 0) + list[i + 2]);
  }
  for (const [key, samples] of by) {
    const bin = key >> 6;
    if (samples > best[bin]) {
      best[bin] = samples;
      const rgb = d3.rgb(classes[key & 63].colour);
      put(bin, [rgb.r, rgb.g, rgb.b]);
    }
  }
}
function drawMap() {
  const canvas = byId("map"), height = Math.max(1, Math.min(16, Math.floor(600 / ranks.length)));
  canvas.width = data.bins_of_rank;
  canvas.height = ranks.length;
  canvas.style.height = Math.max(ranks.length * height, 48) + "px";
  const context = canvas.getContext("2d"), image = context.createImageData(canvas.width, canvas.height);
  const [kind, number] = what.split("-");
  const draw = kind === "most" ? most
    : kind === "class" ? choose({of: c => c.class === Number(number), colour: classes[number].colour})
      : choose({of: c => c.state === Number(number) && !c.mpi, colour: states[number].colour});
  order.forEach((rank, row) => draw(rank, (bin, [r, g, b]) => {
    const at = (row * canvas.width + bin) * 4;
    image.data[at] = r; image.data[at + 1] = g; image.data[at + 2] = b; image.data[at + 3] = 255;
  }));
  context.putImageData(image, 0, 0);
}
const orders = {
  rank: () => 0, host: (a, b) => d3.ascending(ranks[a].host, ranks[b].host),
  "computing time": (a, b) => computing(b) - computing(a), "time in MPI": (a, b) => ranks[b].mpi - ranks[a].mpi};
const computing = i => ranks[i].seconds - ranks[i].mpi_outside_regions;
function sortRows() {
  order = ranks.map((_, i) => i).sort(orders[byId("map-order").value]);
  drawMap();
}
function rowAt(event) {
  const box = byId("map").getBoundingClientRect();
  const row = Math.floor((event.clientY - box.top) / box.height * ranks.length);
  const bin = Math.floor((event.clientX - box.left) / box.width * data.bins_of_rank);
  return {rank: order[Math.max(0, Math.min(row, ranks.length - 1))], bin};
}
function prepareMap() {
  const seen = [...new Set(columns.filter(c => !c.mpi).map(c => c.state))];
  byId("map-what").replaceChildren(...[["most", "what most threads do"],
    ...classes.map((c, i) => ["class-" + i, c.name]), ...seen.map(s => ["state-" + s, "state " + states[s].name])]
    .map(([value, text]) => Object.assign(element("option", text), {value})));
  byId("map-order").replaceChildren(...Object.keys(orders).map(text => element("option", text)));
  byId("legend").replaceChildren(...classes.map(c => {
    const item = element("span"), box = element("i");
    box.style.background = c.colour;
    item.append(box, c.name);
    return item;
  }));
  byId("map-what").onchange = () => { what = byId("map-what").value; drawMap(); };
  byId("map-order").onchange = sortRows;
  byId("map").onclick = event => showRank(rowAt(event).rank);
  byId("map").onmousemove = event => {
    const {rank, bin} = rowAt(event);
    byId("map-detail").textContent = `${rankName(rank)} on ${ranks[rank].host}, ${seconds(bin * data.bin_seconds)} to ${seconds((bin + 1) * data.bin_seconds)}`;
  };
  byId("rank-number").onchange = () => {
    const found = ranks.findIndex(r => r.rank === Number(byId("rank-number").value));
    if (found >= 0) showRank(found);
  };
  sortRows();
}

function table(id, heads, rows) {
  const body = element("tbody"), head = element("tr");
  heads.forEach((text, column) => {
    const cell = element("th", text);
    cell.className = column === 0 ? "text" : "";
    cell.onclick = () => table(id, heads, [...rows].sort((a, b) => typeof a[column] === "number" ? b[column] - a[column] : d3.ascending(a[column], b[column])));
    head.append(cell);
  });
  const shown = rows.slice(0, 1000);
  for (const row of shown) {
    const line = element("tr");
    row.slice(0, heads.length).forEach((value, column) => {
      const cell = element("td", typeof value === "number" ? (heads[column].includes("rank") || heads[column] === "threads" ? value : seconds(value)) : value);
      cell.className = column === 0 ? "text" : "";
      line.append(cell);
    });
    if (row.rank !== undefined) line.onclick = () => showRank(row.rank);
    body.append(line);
  }
  const top = element("thead");
  top.append(head);
  byId(id).replaceChildren(top, body);
}
function showRank(i) {
  const rank = ranks[i];
  byId("rank-section").hidden = false;
  byId("rank-name").textContent = `${rankName(i)} on ${rank.host}`;
  byId("rank-facts").textContent = `${rank.threads} threads, ${seconds(rank.seconds)} elapsed, useful ${seconds(rank.useful)} of threads, in MPI ${seconds(rank.mpi)}, idle while the first thread is in MPI ${seconds(rank.idle_while_in_mpi)}, idle while it is serial ${seconds(rank.idle_while_serial)}${rank.ending ? "; ended early: " + rank.ending : ""}`;
  const rows = [];
  const list = data.rank_regions[i];
  for (let at = 0; at < list.length; at += 3) {
    const column = columns[list[at + 1]];
    rows.push([data.region_names[list[at]], column.name, list[at + 2] / 1e6]);
  }
  table("rank-regions", ["region", "state", "time of threads"], rows.sort((a, b) => b[2] - a[2]));
  byId("rank-number").value = rank.rank;
}

function showFlame() {
  const chart = flamegraph.default().width(byId("flame").clientWidth || 1200).cellHeight(19).transitionDuration(0)
    .minFrameSize(1.5).inverted(true).sort((a, b) => b.value - a.value)
    .setColorMapper(d => d.highlight ? "#ff8df0" : d.data.colour || "#9db4d6")
    .setLabelHandler(d => `${d.data.name}: ${seconds(d.data.value)} (${percent(d.data.value / data.tree.value)})` +
      (d.data.max === undefined ? "" : ` \u2014 of a rank ${seconds(d.data.min)} to ${seconds(d.data.max)} (${d.data.max_rank})`))
    .setDetailsElement(byId("flame-detail"));
  d3.select("#flame").datum(data.tree).call(chart);
  byId("flame-search").oninput = () => byId("flame-search").value ? chart.search(byId("flame-search").value) : chart.clear();
  byId("flame-reset").onclick = () => chart.resetZoom();
}

if (window.matchMedia && matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.dataset.dark = "1";
showHead();
prepareMap();
showFlame();
table("regions", ["region", "all ranks", "lost", "least", "rank of least", "mean", "most", "rank of most"],
  data.regions.map(r => [r.name, r.seconds, r.lost, r.min, r.min_rank, r.mean, r.max, r.max_rank]));
table("ranks", ["rank on host", "threads", "elapsed", "useful", "in MPI", "idle in MPI", "idle in serial", "unbalanced"],
  ranks.map((r, i) => Object.assign([`${rankName(i)} on ${r.host}`, r.threads, r.seconds, r.useful, r.mpi, r.idle_while_in_mpi, r.idle_while_serial, r.unbalanced], {rank: i})));
