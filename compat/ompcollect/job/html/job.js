/* SPDX-License-Identifier: Apache-2.0 */
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
const element = (name, text) => Object.assign(document.createElement(name), {textContent: text ?? ""});
const percent = share => (share < 0.1 ? (share * 100).toFixed(1) : Math.round(share * 100)) + " %";
const seconds = time => time >= 1 ? time.toFixed(2) + " s" : time >= 1e-3 ? (time * 1e3).toFixed(1) + " ms" : (time * 1e6).toFixed(0) + " \u00b5s";
const counted = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
const ranks = data.ranks, classes = data.classes, states = data.states;
const rankName = i => ranks[i].rank >= 0 ? "rank " + ranks[i].rank : "pid " + ranks[i].pid;

function showHead() {
  byId("program").textContent = data.program;
  byId("facts").textContent = `${counted(ranks.length, "rank")} on ${counted(new Set(ranks.map(r => r.host)).size, "host")}, ${seconds(data.efficiency.elapsed)} elapsed`;
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
  byId("outliers").append(...data.outliers.map(text => element("li", text)));
  for (const finding of data.findings) {
    const item = element("li"), cost = element("span", `saves ${finding.least_gain > 0 ? "" : "up to "}${finding.least_gain > 0 && seconds(finding.least_gain) !== seconds(finding.gain) ? seconds(finding.least_gain) + " to " : ""}${seconds(finding.gain)} (${seconds(finding.seconds)} of threads, ${percent(finding.share)})`);
    cost.className = "cost";
    item.append(cost, `: ${finding.title}, ${finding.cause}`);
    const late = finding.host === undefined ? -1 : ranks.findIndex(r => r.rank === finding.rank && r.host === finding.host);
    if (late >= 0) {
      const link = element("button", `${rankName(late)} on ${finding.host}`);
      link.type = "button";
      link.onclick = () => showRank(late);
      item.append(", ", link);
    }
    item.append(Object.assign(element("p", finding.text), {className: "cause"}), element("p", finding.cure));
    byId("findings").append(item);
  }
}

// Samples by rank, bin and column: bins[rank] = [bin, column, samples, bin, ...].
const columns = data.columns; // {name, colour, class}
let order = [], what = "most", chosen = -1;
// A pixel of the picture as one number.
const pixelOf = (r, g, b) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
const kShades = 255;
// From none of the samples to all of them.
function shadesOf(colour) {
  const base = matchMedia("(prefers-color-scheme: dark)").matches ? 29 : 245, rgb = d3.rgb(colour);
  return Uint32Array.from({length: kShades + 1}, (_, i) => {
    const at = value => Math.round(base + (value - base) * Math.sqrt(i / kShades));
    return pixelOf(at(rgb.r), at(rgb.g), at(rgb.b));
  });
}
// Fills a row with the share of the samples that match.
function shareRow(matches, colour) {
  const width = data.bins_of_rank, all = new Float64Array(width), some = new Float64Array(width), shades = shadesOf(colour);
  const isOne = columns.map(matches);
  return (list, row) => {
    all.fill(0);
    some.fill(0);
    for (let i = 0; i < list.length; i += 3) {
      all[list[i]] += list[i + 2];
      if (isOne[list[i + 1]]) some[list[i]] += list[i + 2];
    }
    for (let bin = 0; bin < width; ++bin) if (all[bin] > 0) row[bin] = shades[Math.round(kShades * some[bin] / all[bin])];
  };
}
// Fills a row with what has most samples.
function mostRow() {
  const width = data.bins_of_rank, count = classes.length, sums = new Float64Array(width * count);
  const colours = classes.map(each => d3.rgb(each.colour)).map(rgb => pixelOf(rgb.r, rgb.g, rgb.b)), of = columns.map(each => each.class);
  return (list, row) => {
    sums.fill(0);
    for (let i = 0; i < list.length; i += 3) sums[list[i] * count + of[list[i + 1]]] += list[i + 2];
    for (let bin = 0; bin < width; ++bin) {
      let best = 0, most = 0;
      for (let i = 0; i < count; ++i) if (sums[bin * count + i] > most) { most = sums[bin * count + i]; best = i; }
      if (most > 0) row[bin] = colours[best];
    }
  };
}
function drawMap() {
  const canvas = byId("map"), height = Math.max(1, Math.min(16, Math.floor(600 / ranks.length))), width = data.bins_of_rank;
  canvas.width = width;
  canvas.height = ranks.length;
  canvas.style.height = Math.max(ranks.length * height, 48) + "px";
  const image = new ImageData(width, ranks.length), pixels = new Uint32Array(image.data.buffer);
  const [kind, number] = what.split("-").map((part, i) => i ? Number(part) : part);
  const fill = kind === "most" ? mostRow()
    : kind === "class" ? shareRow(column => column.class === number, classes[number].colour)
      : shareRow(column => column.state === number && !column.mpi, states[number].colour);
  order.forEach((rank, row) => fill(data.bins[rank], pixels.subarray(row * width, (row + 1) * width)));
  canvas.getContext("2d").putImageData(image, 0, 0);
  placeRow(chosen);
}
const orders = {
  rank: () => 0, host: (a, b) => d3.ascending(ranks[a].host, ranks[b].host),
  "computing time": (a, b) => computing(b) - computing(a), "time in MPI": (a, b) => ranks[b].mpi - ranks[a].mpi};
const computing = i => ranks[i].seconds - ranks[i].mpi_elapsed;
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

const kRowsShown = 100;
// A click on a head sorts, a click on a rank's row shows it.
function table(id, heads, rows, all) {
  const body = element("tbody"), head = element("tr");
  heads.forEach((text, column) => {
    const cell = element("th"), sort = element("button", text);
    cell.className = column === 0 ? "text" : "";
    cell.scope = "col";
    sort.type = "button";
    sort.onclick = () => table(id, heads, [...rows].sort((a, b) => typeof a[column] === "number" ? b[column] - a[column] : d3.ascending(a[column], b[column])), all);
    cell.append(sort);
    head.append(cell);
  });
  for (const row of all ? rows : rows.slice(0, kRowsShown)) {
    const line = element("tr");
    row.slice(0, heads.length).forEach((value, column) => {
      const cell = element("td", typeof value === "number" ? (heads[column].startsWith("rank of") || heads[column] === "threads" ? value : seconds(value)) : value);
      cell.className = column === 0 ? "text" : "";
      line.append(cell);
    });
    if (row.rank !== undefined) {
      line.className = "choice";
      line.tabIndex = 0;
      line.dataset.key = row.rank;
      line.onclick = () => showRank(row.rank);
      line.onkeydown = event => { if (event.key === "Enter") showRank(row.rank); };
    }
    body.append(line);
  }
  const top = element("thead");
  top.append(head);
  byId(id).replaceChildren(top, body);
  if (!all && rows.length > kRowsShown) {
    const more = element("button", `Show all ${rows.length} rows`);
    more.type = "button";
    more.onclick = () => table(id, heads, rows, true);
    byId(id).createCaption().append(`${kRowsShown} of ${rows.length} rows. `, more);
  }
}
function showRank(i) {
  const rank = ranks[i];
  byId("rank-section").hidden = false;
  byId("rank-name").textContent = `${rankName(i)} on ${rank.host}`;
  byId("rank-facts").textContent = `${rank.threads} threads, ${rank.megahertz ? `processors at ${rank.megahertz} MHz, ` : ""}${seconds(rank.seconds)} elapsed, useful ${seconds(rank.useful)} of threads, in MPI ${seconds(rank.mpi)}, lost of the elapsed time: ${seconds(rank.lost.mpi)} in MPI, ${seconds(rank.lost.serialisation)} by one thread alone, ${seconds(rank.lost.load_balance)} by uneven work, ${seconds(rank.lost.scheduling)} by queues and the runtime${rank.ending ? "; ended early: " + rank.ending : ""}${data.least_time_shown > 1e-6 ? `; less than ${seconds(data.least_time_shown)} in a region is left out` : ""}`;
  const rows = [];
  const list = data.rank_regions[i];
  for (let at = 0; at < list.length; at += 3) {
    const column = columns[list[at + 1]];
    rows.push([data.region_names[list[at]], column.name, list[at + 2] / 1e6]);
  }
  table("rank-regions", ["region", "state", "time of threads"], rows.sort((a, b) => b[2] - a[2]));
  byId("rank-number").value = rank.rank;
  byId("map-row").hidden = false;
  placeRow(i);
}
// Where the chosen rank is in the map.
function placeRow(i) {
  chosen = i;
  if (i < 0) return;
  const map = byId("map"), height = map.clientHeight / ranks.length, mark = byId("map-row");
  mark.style.height = Math.max(2, height) + "px";
  mark.style.top = order.indexOf(i) * height + "px";
}

// A frame has the colours of what ends in it.
function blend(frame) {
  if (frame.colour) return d3.rgb(frame.colour);
  const mix = d3.rgb(0, 0, 0);
  let sum = 0;
  for (const child of frame.children || []) {
    const colour = blend(child);
    sum += child.value;
    for (const part of ["r", "g", "b"]) mix[part] += child.value * colour[part];
  }
  for (const part of ["r", "g", "b"]) mix[part] = sum > 0 ? mix[part] / sum : 204;
  frame.colour = mix.formatHex();
  return mix;
}
function showFlame() {
  blend(data.tree);
  const chart = flamegraph.default().width(byId("flame").clientWidth || 1200).cellHeight(19).transitionDuration(0)
    .minFrameSize(1.5).inverted(true).sort((a, b) => b.value - a.value)
    .setColorMapper(d => d.highlight ? "#ff8df0" : d.data.colour)
    .setLabelHandler(d => `${d.data.name}: ${seconds(d.data.value)} (${percent(d.data.value / data.tree.value)})` +
      (d.data.max === undefined ? "" : ` \u2014 of a rank ${seconds(d.data.min)} to ${seconds(d.data.max)} (${d.data.max_rank})`))
    .setDetailsElement(byId("flame-detail"));
  d3.select("#flame").datum(data.tree).call(chart);
  byId("flame-search").oninput = () => byId("flame-search").value ? chart.search(byId("flame-search").value) : chart.clear();
  byId("flame-reset").onclick = () => chart.resetZoom();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawMap);
showHead();
prepareMap();
showFlame();
table("regions", ["region", "all ranks", "lost", "least", "rank of least", "mean", "most", "rank of most"],
  data.regions.map(r => [r.name, r.seconds, r.lost, r.min, r.min_rank, r.mean, r.max, r.max_rank]));
table("ranks", ["rank on host", "threads", "elapsed", "useful", "in MPI", "lost in MPI", "lost alone", "lost uneven", "lost in queues"],
  ranks.map((r, i) => Object.assign([`${rankName(i)} on ${r.host}`, r.threads, r.seconds, r.useful, r.mpi, r.lost.mpi, r.lost.serialisation, r.lost.load_balance, r.lost.scheduling], {rank: i})));
document.body.dataset.ready = "yes";
