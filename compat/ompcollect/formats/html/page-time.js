// SPDX-License-Identifier: Apache-2.0
//
// The time line: a row per thread, a band with the outermost region above its states. Where a pixel
// stands for several states its height is shared by their time, so nothing short is lost. Times by
// bin are kept for the whole run, so that a picture of millions of pieces costs as much as one of
// its pixels.
"use strict";
const kLabel = 92, kAxis = 22, kMostBins = 8192, kBinsOfAll = 1 << 22;
const view = {begin: 0, end: 1, all: 1};
let bins = null; // {count, length, states, time: seconds per [thread][bin][state], region per [thread][bin]}
let symbolClass = null; // of each symbol: index into usedStates, or the one behind for what is not selected
const kNoRegion = -1;
const regionColours = ["#8fb8de", "#c7a6d8", "#9fd0b4", "#e6c28c", "#d99c9c", "#a9b0d9"];
const regionColour = region => regionColours[region % regionColours.length];
const rgbOf = text => { const n = parseInt(text.slice(1), 16); return [n >> 16, n >> 8 & 255, n & 255]; };
const packedColour = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;

const rowHeight = () => process.threads.length > 64 ? 9 : process.threads.length > 16 ? 15 : 24;
const bandHeight = height => Math.max(2, Math.round(height / 4));

// What is not selected takes part with a grey of its own.
function classify() {
  const chosen = selection.state === null ? null : stateNumber(selection.state);
  const index = new Map(usedStates.map((name, i) => [stateNumber(name), i]));
  symbolClass = timeline.node.map((node, i) => {
    const isChosen = (chosen === null || timeline.state[i] === chosen) && (selection.region === null || regionOf(node) === selection.region);
    return isChosen ? index.get(timeline.state[i]) ?? usedStates.length : usedStates.length;
  });
}

const outermost = symbol => { const node = timeline.node[symbol]; return node >= 0 ? outermostOfNode[node] : kNoRegion; };

function fillBins() {
  const threads = process.threads.length, states = usedStates.length + 1;
  const count = Math.max(256, Math.min(kMostBins, Math.floor(kBinsOfAll / Math.max(1, threads * states))));
  const length = view.all / count, time = new Float32Array(threads * count * states), region = new Int32Array(threads * count).fill(kNoRegion);
  const best = new Float64Array(count), regionOfSymbol = Int32Array.from(timeline.node, (_, i) => outermost(i));
  const {begin, key, first} = timeline;
  for (let thread = 0; thread < threads; ++thread) {
    best.fill(0);
    const row = thread * count;
    let last = -1, lastRegion = kNoRegion, sum = 0; // of one region in one bin, as long as they are the same
    for (let i = first[thread]; i < first[thread + 1] - 1; ++i) {
      if (key[i] < 0) continue;
      let from = begin[i];
      const to = begin[i + 1], kind = symbolClass[key[i]], its = regionOfSymbol[key[i]];
      for (let bin = Math.min(count - 1, Math.floor(from / length)); from < to && bin < count; ++bin) {
        const part = (bin === count - 1 ? to : Math.min(to, (bin + 1) * length)) - from;
        time[(row + bin) * states + kind] += part;
        sum = bin === last && its === lastRegion ? sum + part : part;
        if (sum > best[bin]) { best[bin] = sum; region[row + bin] = its; }
        last = bin; lastRegion = its;
        from += part;
      }
    }
  }
  bins = {count, length, states, time, region};
}

function prepareTimeline(isNew) {
  const none = !timeline;
  byId("timeline-frame").hidden = byId("timeline-tools").hidden = byId("timeline-detail").hidden = none;
  byId("timeline-about").textContent = isTimelineComing ? "The time line is being read." : none
    ? "This profile has no samples with times, so the order of things is not known."
    : "States of each thread as time goes on; the band above them shows the outermost region. A pixel's height is shared by the " +
      "time of its states. Drag selects a span; a click selects the state, the region (band) or the thread (name). The wheel " +
      "zooms with Ctrl, or where the picture has the focus; Shift and drag move." +
      (timeline.tick > 1e-6 ? ` Times are in steps of ${seconds(timeline.tick)}, as there are many.` : "");
  bins = null;
  if (none) return;
  if (isNew) {
    view.all = Math.max(process.facts.seconds, timeline.end) || 1;
    view.begin = 0;
    view.end = view.all;
  }
  classify();
  fillBins();
}

// Adds the time by class of the thread's pixels to `sums` ([pixel][class]), finds their regions, and
// how much time a pixel stands for.
function sumPixels(thread, width, sums, regions, spans) {
  const perPixel = (view.end - view.begin) / width, states = bins.states;
  sums.fill(0);
  regions.fill(kNoRegion);
  spans.fill(perPixel >= bins.length ? 0 : perPixel);
  if (perPixel >= bins.length) {
    const row = thread * bins.count;
    const end = Math.min(bins.count, Math.ceil(view.end / bins.length));
    for (let bin = Math.floor(view.begin / bins.length); bin < end; ++bin) {
      const pixel = Math.floor(((bin + 0.5) * bins.length - view.begin) / perPixel);
      if (pixel < 0 || pixel >= width) continue;
      spans[pixel] += bins.length;
      for (let k = 0; k < states; ++k) sums[pixel * states + k] += bins.time[(row + bin) * states + k];
      if (bins.region[row + bin] !== kNoRegion) regions[pixel] = bins.region[row + bin];
    }
    return;
  }
  const {begin, key, first} = timeline;
  for (let i = firstEndingAfter(thread, view.begin); i < first[thread + 1] - 1 && begin[i] < view.end; ++i) {
    if (key[i] < 0) continue;
    let from = Math.max(view.begin, begin[i]);
    const to = Math.min(view.end, begin[i + 1]), region = outermost(key[i]);
    for (let pixel = Math.max(0, Math.floor((from - view.begin) / perPixel)); pixel < width && from < to; ++pixel) {
      const part = Math.min(to, view.begin + (pixel + 1) * perPixel) - from;
      if (part > 0) { sums[pixel * states + symbolClass[key[i]]] += part; from += part; }
      if (region !== kNoRegion) regions[pixel] = region;
    }
  }
}

// One thread's row of the image: a band, then states from top to bottom in the order of the table.
function paintRow(pixels, width, top, height, {sums, regions, spans}, colours, isDim) {
  const band = bandHeight(height), room = height - band - 2, states = bins.states;
  for (let x = 0; x < width; ++x) {
    if (regions[x] !== kNoRegion) {
      const colour = isDim ? colours.dim : colours.region[regions[x] % regionColours.length];
      for (let y = 0; y < band; ++y) pixels[(top + y) * width + x] = colour;
    }
    let all = 0;
    for (let k = 0; k < states; ++k) all += sums[x * states + k];
    if (!(all > 0)) continue;
    // What is shorter than the pixel leaves the rest of it empty, but can be seen.
    const scale = room / Math.max(all, Math.min(spans[x], all * room));
    let done = 0, drawn = 0;
    for (let k = 0; k < states; ++k) {
      const part = sums[x * states + k];
      if (!(part > 0)) continue;
      done += part * scale;
      const until = Math.max(Math.round(done), drawn);
      const colour = isDim ? colours.dim : colours.state[k];
      for (; drawn < until; ++drawn) pixels[(top + band + drawn) * width + x] = colour;
    }
  }
}

function drawTimeline() {
  if (!bins) return;
  const canvas = byId("timeline"), scale = devicePixelRatio || 1, height = rowHeight(), threads = process.threads.length;
  const style = getComputedStyle(document.body), shade = name => style.getPropertyValue(name).trim();
  const full = canvas.clientWidth || 1200, total = height * threads + kAxis;
  canvas.style.height = total + "px";
  canvas.width = full * scale;
  canvas.height = total * scale;
  const pen = canvas.getContext("2d"), width = Math.max(1, Math.floor((full - kLabel) * scale)), row = Math.round(height * scale);
  const image = new ImageData(width, row * threads), pixels = new Uint32Array(image.data.buffer);
  const of = {sums: new Float64Array(width * bins.states), regions: new Int32Array(width), spans: new Float64Array(width)};
  const dim = packedColour(rgbOf(shade("--faint")));
  const colours = {dim, region: regionColours.map(colour => packedColour(rgbOf(colour))),
    state: [...usedStates.map(name => packedColour(rgbOf(colourOf(name)))), dim]};
  for (let thread = 0; thread < threads; ++thread) {
    sumPixels(thread, width, of.sums, of.regions, of.spans);
    paintRow(pixels, width, thread * row, row, of, colours, selection.thread !== null && selection.thread !== thread);
  }
  pen.putImageData(image, kLabel * scale, 0);
  pen.scale(scale, scale);
  drawLabels(pen, full, total, height, shade);
}

function drawLabels(pen, full, total, height, shade) {
  pen.font = Math.min(12, height) + "px system-ui, 'DejaVu Sans', sans-serif";
  pen.textBaseline = "middle";
  const every = height >= 12 ? 1 : 2;
  process.threads.forEach((thread, i) => {
    if (i % every) return;
    pen.fillStyle = shade(selection.thread === i ? "--accent" : "--soft");
    pen.fillText("thread " + thread.number, 4, i * height + height / 2);
  });
  const axis = d3.scaleLinear().domain([view.begin, view.end]).range([kLabel, full]);
  pen.fillStyle = shade("--soft");
  for (const tick of axis.ticks(10)) {
    pen.fillRect(axis(tick), total - 20, 1, 5);
    pen.fillText(Number(tick.toPrecision(6)) + " s", axis(tick) + 3, total - 9);
  }
  const span = dragged || selection.span;
  if (!span) return;
  pen.fillStyle = shade("--accent");
  pen.strokeStyle = shade("--accent");
  const [from, to] = span.map(time => Math.max(kLabel, Math.min(full, axis(time))));
  pen.globalAlpha = 0.18;
  pen.fillRect(from, 0, to - from, total - kAxis);
  pen.globalAlpha = 1;
  pen.strokeRect(from, 0.5, Math.max(1, to - from), total - kAxis);
}

function setView(begin, length) {
  length = Math.max(Math.min(length, view.all), 1e-5);
  view.begin = Math.min(Math.max(0, begin), view.all - length);
  view.end = view.begin + length;
  requestAnimationFrame(drawTimeline);
}
function zoomBy(factor, at) {
  const length = view.end - view.begin;
  at ??= (view.begin + view.end) / 2;
  setView(at - (at - view.begin) * factor, length * factor);
}

let dragged = null; // the span that is being drawn
function timeAt(event) {
  const canvas = byId("timeline");
  return view.begin + Math.max(0, Math.min(1, (event.offsetX - kLabel) / (canvas.clientWidth - kLabel))) * (view.end - view.begin);
}
// What is under the pointer: {thread, key, isBand, isLabel}.
function under(event) {
  const height = rowHeight(), thread = Math.floor(event.offsetY / height);
  if (thread < 0 || thread >= process.threads.length) return null;
  const time = timeAt(event), i = firstEndingAfter(thread, time);
  const isThere = i < timeline.first[thread + 1] - 1 && timeline.begin[i] <= time && timeline.key[i] >= 0;
  return {thread, time, piece: isThere ? i : -1, isBand: event.offsetY - thread * height < bandHeight(height), isLabel: event.offsetX < kLabel};
}
function tell(at) {
  if (!at) return;
  const key = at.piece >= 0 ? timeline.key[at.piece] : -1;
  byId("timeline-detail").textContent = `${seconds(at.time)} thread ${process.threads[at.thread].number}` + (key < 0 ? "" :
    `: ${stateName(timeline.state[key])} ${placeName(timeline.node[key])} (${seconds(timeline.begin[at.piece + 1] - timeline.begin[at.piece])})` +
    (outermost(key) >= 0 ? `, region ${placeName(outermost(key))}` : ""));
}
function chooseAt(at) {
  if (!at) return;
  if (at.isLabel) toggle("thread", at.thread);
  else if (at.piece >= 0) {
    const key = timeline.key[at.piece];
    if (!at.isBand) toggle("state", stateName(timeline.state[key]));
    else if (outermost(key) >= 0) toggle("region", outermost(key));
  }
}

function timelineEvents() {
  const canvas = byId("timeline");
  canvas.addEventListener("wheel", event => {
    if (!timeline || event.deltaY === 0 || !(event.ctrlKey || event.metaKey || document.activeElement === canvas)) return;
    event.preventDefault();
    zoomBy(Math.exp(event.deltaY * 0.0015), timeAt(event));
  }, {passive: false});
  let from = null;
  canvas.addEventListener("pointerdown", event => {
    from = {x: event.offsetX, time: timeAt(event), begin: view.begin, moves: event.shiftKey};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", event => {
    const chosen = dragged, was = from;
    from = dragged = null;
    if (chosen) select({span: chosen}); else if (was && !was.moves && timeline) chooseAt(under(event));
  });
  canvas.addEventListener("pointermove", event => {
    if (!timeline) return;
    if (from && from.moves) setView(from.begin - (event.offsetX - from.x) / (canvas.clientWidth - kLabel) * (view.end - view.begin), view.end - view.begin);
    else if (from && (dragged || Math.abs(event.offsetX - from.x) > 4)) {
      dragged = [from.time, timeAt(event)].sort((a, b) => a - b);
      requestAnimationFrame(drawTimeline);
    } else if (!from) tell(under(event));
  });
  canvas.addEventListener("keydown", timelineKey);
  byId("timeline-in").onclick = () => zoomBy(0.5);
  byId("timeline-out").onclick = () => zoomBy(2);
  byId("timeline-select").onclick = () => select({span: [view.begin, view.end]});
  byId("timeline-reset").onclick = () => { select({span: null}); setView(0, view.all); };
}

let keyThread = 0; // that the keys are on
function timelineKey(event) {
  if (!timeline || event.ctrlKey || event.metaKey || event.altKey) return;
  const length = view.end - view.begin, threads = process.threads.length;
  const middle = () => {
    const time = (view.begin + view.end) / 2, i = firstEndingAfter(keyThread, time);
    return {thread: keyThread, time, piece: timeline.begin[i] <= time && timeline.key[i] >= 0 ? i : -1};
  };
  const acts = {
    "+": () => zoomBy(0.5), "=": () => zoomBy(0.5), "-": () => zoomBy(2), "0": () => setView(0, view.all),
    ArrowLeft: () => setView(view.begin - length / 8, length), ArrowRight: () => setView(view.begin + length / 8, length),
    Home: () => setView(0, length), End: () => setView(view.all - length, length),
    ArrowDown: () => { keyThread = Math.min(threads - 1, keyThread + 1); }, ArrowUp: () => { keyThread = Math.max(0, keyThread - 1); },
    Enter: () => select({span: [view.begin, view.end]}), t: () => toggle("thread", keyThread),
    s: () => chooseAt({...middle(), isBand: false}), r: () => chooseAt({...middle(), isBand: true}),
    Escape: () => { select({span: null}); setView(0, view.all); },
  };
  if (!acts[event.key]) return;
  event.preventDefault();
  acts[event.key]();
  keyThread = Math.min(keyThread, threads - 1);
  tell(middle());
}

function showTimeline(before) {
  const isNew = before === null;
  if (isNew || before.region !== selection.region || before.state !== selection.state) prepareTimeline(isNew);
  drawTimeline();
}
