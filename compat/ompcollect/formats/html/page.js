// SPDX-License-Identifier: Apache-2.0
//
// Puts the views together: each draws what is selected, and nothing is drawn but through a change of
// the selection.
"use strict";
function choices(id, texts, chosen) {
  byId(id).replaceChildren(...texts.map(([value, text]) => Object.assign(element("option", text), {value})));
  byId(id).value = chosen ?? "";
}

function showLegend() {
  byId("legend").replaceChildren(...usedStates.map(name => {
    const item = button("", () => toggle("state", name)), box = element("i");
    box.style.background = colourOf(name);
    item.dataset.state = name;
    item.setAttribute("aria-pressed", selection.state === name);
    item.append(box, `${name} ${stateTable.get(name).words}`);
    return item;
  }));
}

// Of the process alone, or of the selection too; not of how the flame graph looks.
const ofProcess = act => before => { if (before === null) act(); };
const isSame = before => before !== null && ["region", "thread", "state", "span"].every(part => String(before[part]) === String(selection[part]));
const ofSelection = act => before => { if (!isSame(before)) act(before); };

function start() {
  byId("page").hidden = false;
  if (!data.run.processes.length) { byId("program").textContent = "No process in this profile used OpenMP."; return; }
  byId("process-choice").hidden = data.run.processes.length < 2;
  views.push(ofProcess(showHead), ofProcess(showEfficiency), ofProcess(showFacts),
    ofProcess(() => { byId("process").value = selection.process; }),
    ofSelection(showSelection), ofSelection(showFindings), ofSelection(showRegion), ofSelection(showLegend), showFlame,
    ofSelection(showTimeline), ofSelection(showStates), ofSelection(showRegions), ofSelection(showBlame), ofSelection(showThreads),
    ofSelection(showLocks), ofSelection(showLines));
  choices("process", data.run.processes.map((each, i) => [i, `${bounded(base(each.facts.program))} pid ${each.facts.pid}${each.facts.rank ? " rank " + each.facts.rank : ""}`]));
  byId("process").onchange = event => select({process: Number(event.target.value)});
  byId("skip").onclick = event => { event.preventDefault(); byId("main").focus(); };
  let resized = 0;
  addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(() => { showFlame(null); drawTimeline(); }, 150); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawTimeline);
  addEventListener("hashchange", () => { if (hashOf(selection) !== hashOf(selectionOf(location.hash))) follow(selectionOf(location.hash)); });
  flameEvents();
  timelineEvents();
  return follow(selectionOf(location.hash));
}
Promise.resolve(start()).then(() => { document.body.dataset.ready = "yes"; });
