/* SPDX-License-Identifier: Apache-2.0 */
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
const element = (name, text, kind) => {
  const made = Object.assign(document.createElement(name), {textContent: text ?? ""});
  if (kind) made.className = kind;
  return made;
};
const counted = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
const seconds = time => Math.abs(time) >= 0.1 || time === 0 ? time.toFixed(2) + " s" : (time * 1e3).toFixed(1) + " ms";
const sum = list => list.reduce((all, each) => all + each, 0);

function showHead() {
  byId("program").textContent = data.program;
  byId("facts").textContent = `${counted(data.runs_before, "run")} before, ${data.runs_after} after`;
  for (const [what, before, after] of data.facts) {
    byId("differs").append(element("dt", what), element("dd", `${before || "none"} \u2192 ${after || "none"}`));
  }
  if (!data.facts.length) byId("differs").append(element("dd", "Nothing: the same build, runtime, threads, machine and settings."));
  const head = element("tr");
  head.append(...["", "before", "after", "change"].map((text, i) => element("th", text, i ? "" : "text")));
  byId("totals").append(head);
  for (const line of data.totals) {
    const row = element("tr");
    row.append(...line.map((text, i) => element("td", text, i ? "" : "text")));
    byId("totals").append(row);
  }
  byId("rules-section").hidden = !data.rules.length;
  for (const [words, rule, detail] of data.rules) {
    const item = element("li");
    item.append(element("b", words), ` ${rule}: ${detail}`);
    byId("rules").append(item);
  }
}

// heading, the value to sort by, the text, whether it is text, what of the time: a part, -1: all
const columns = [
  ["change", row => row.change.value, row => row.change.text, false, -1],
  ["interval", row => row.change.value, row => row.interval],
  ["before", row => row.before.value, row => row.before.text],
  ["after", row => row.after.value, row => row.after.text],
  ...data.parts.map((part, i) => [part.name, row => row.parts[i].value, row => row.parts[i].value === 0 ? "" : row.parts[i].text, false, i])
    .filter(([name, , , , i]) => name !== "idle" && data.rows.some(row => row.parts[i].value !== 0)),
  ["name", row => row.name, row => row.name + (row.was ? `, before ${row.was}` : "") + (row.fate ? `, ${row.fate}` : ""), true],
  ["in", row => row.kind === "region" ? "" : row.region, row => row.kind === "region" ? "region" : row.region, true]];
let sortedBy = 0, direction = 0; // 0: by size, largest change first
const kMostRows = 200;

function showRows() {
  const kind = byId("kind").value;
  const rows = data.rows.filter(row => (!kind || row.kind === kind) && (!byId("certain").checked || row.certain) && row.before.value + row.after.value > 0);
  const value = columns[sortedBy][1];
  const order = direction === 0 ? (a, b) => Math.abs(value(b)) - Math.abs(value(a))
    : (a, b) => direction * (typeof value(a) === "string" ? value(a).localeCompare(value(b)) : value(a) - value(b));
  rows.sort(order);
  const head = element("tr");
  columns.forEach(([name, , , isText], i) => {
    const cell = element("th", "", isText ? "text" : "");
    if (i === sortedBy) cell.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
    cell.append(Object.assign(element("button", name), {type: "button", onclick: () => {
      direction = i !== sortedBy ? (isText ? 1 : -1) : direction > 0 ? -1 : 1;
      sortedBy = i;
      showRows();
    }}));
    head.append(cell);
  });
  byId("rows").replaceChildren(element("thead"), element("tbody"));
  byId("rows").firstChild.append(head);
  for (const row of rows.slice(0, kMostRows)) {
    const line = element("tr", "", row.certain ? "certain" : "");
    for (const [, , text, isText, part] of columns) {
      const cell = element("td", text(row), isText ? "text" : row.certain && part === row.stands_out ? "out" : "");
      if (isText) cell.title = text(row);
      line.append(cell);
    }
    byId("rows").lastChild.append(line);
  }
  byId("shown").textContent = rows.length > kMostRows ? `the first ${kMostRows} of ${rows.length}` : counted(rows.length, "row");
}

const changeOf = node => {
  const before = sum(node.before), after = sum(node.after);
  return before > 0 ? after / before - 1 : after > 0 ? Infinity : 0;
};
const shadeOf = node => data.shades.filter(shade => changeOf(node) >= shade.from).at(-1) || data.shades[0];
function blended(list) {
  const all = sum(list), mix = [0, 0, 0];
  list.forEach((time, i) => {
    const colour = parseInt(data.parts[i].colour.slice(1), 16);
    [colour >> 16, colour >> 8 & 255, colour & 255].forEach((part, k) => { mix[k] += time * part; });
  });
  return all > 0 ? `rgb(${mix.map(part => Math.round(part / all)).join()})` : "#ccc";
}
const signed = node => {
  const before = sum(node.before), after = sum(node.after), change = 100 * (after / before - 1);
  return !(before > 0) ? "new" : !(after > 0) ? "gone" : `${change < 0 ? "\u2212" : "+"}${Math.abs(change).toFixed(0)} %`;
};

// What the library draws: {name, value, children}; no child is wider than its parent.
function drawn(node, graph) {
  const value = graph === "change" ? (sum(node.before) + sum(node.after)) / 2 : sum(node[graph]);
  return {name: graph === "change" ? `${node.name}  ${signed(node)}` : node.name, node, value,
    children: node.children.map(child => drawn(child, graph)).filter(child => child.value > 0)};
}
const wordsOf = node => `${node.name}: ${seconds(sum(node.before))} before, ${seconds(sum(node.after))} after (${signed(node)})` +
  ` \u2014 ${data.parts.map((part, i) => [part.name, node.after[i] - node.before[i]]).filter(([, change]) => Math.abs(change) >= 5e-5)
    .map(([name, change]) => `${name} ${change > 0 ? "+" : "\u2212"}${seconds(Math.abs(change))}`).join(", ")}`;

let chart = null;
function showFlame() {
  const graph = byId("graph").value, tree = drawn(data.tree, graph);
  byId("flame").replaceChildren();
  const legend = graph === "change" ? data.shades.map(shade => [shade.colour, shade.words])
    : data.parts.filter((_, i) => data.tree[graph][i] > 0).map(part => [part.colour, part.name]);
  byId("legend").replaceChildren(...legend.map(([colour, words]) => {
    const item = element("span"), box = element("i");
    box.style.background = colour;
    item.append(box, words);
    return item;
  }));
  if (!(tree.value > 0)) { byId("flame").textContent = "No time to show."; return; }
  chart = flamegraph.default().width(byId("flame").clientWidth || 1200).cellHeight(19).transitionDuration(0).minFrameSize(1.5)
    .inverted(true).sort((a, b) => b.value - a.value)
    .setColorMapper(d => d.highlight ? "#ff8df0" : graph === "change" ? shadeOf(d.data.node).colour : blended(d.data.node[graph]))
    .setSearchHandler(() => {}).setSearchMatch((d, text) => d.data.name.toLowerCase().includes(text.toLowerCase()))
    .setLabelHandler(d => wordsOf(d.data.node)).setDetailsElement(byId("flame-detail"));
  d3.select("#flame").datum(tree).call(chart);
  search();
}
function search() {
  const text = byId("search").value;
  if (text) chart.search(text); else chart.clear();
}

byId("page").hidden = false;
showHead();
showRows();
showFlame();
byId("kind").onchange = showRows;
byId("certain").onchange = showRows;
byId("graph").onchange = showFlame;
byId("search").oninput = search;
byId("reset").onclick = () => { byId("search").value = ""; showFlame(); };
let resized = 0;
addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(showFlame, 150); });
document.body.dataset.ready = "yes";
