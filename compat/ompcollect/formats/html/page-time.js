// SPDX-License-Identifier: Apache-2.0
//
// The time line: a row per thread, a band with the outermost region above its states. Where a pixel
// stands for several states its height is shared by their time, so nothing short is lost. What went
// before each bin of the run is kept, so a pixel's time is a difference: a picture of millions of
// pieces costs as much as one of its pixels. It is drawn once a frame, however often it changes.
"use strict";
const kLabel = 92, kAxis = 22, kMostBins = 8192, kBinsOfAll = 1 << 22;
const view = {begin: 0, end: 1, all: 1};
let bins = null; // {count, length, states, before: seconds per [thread][bin][state], region per [thread][bin]}
let regionNumber = null; // by node: outermost regions in the order in which they came, so neighbours differ in colour
let symbolClass = null; // of each symbol: index into usedStates, or the one behind for what is not selected
const kNoRegion = -1, kNoTime = 1e-9; // less is what rounding leaves: a piece has a microsecond
const regionColours = ["#8fb8de", "#c7a6d8", "#9fd0b4", "#e6c28c", "#d99c9c", "#a9b0d9"];
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

function numberRegions() {
  regionNumber = new Map();
  for (const key of timeline.key) {
    if (key >= 0 && outermost(key) !== kNoRegion && !regionNumber.has(outermost(key))) regionNumber.set(outermost(key), regionNumber.size);
  }
}

function fillBins() {
  const threads = process.threads.length, states = usedStates.length + 1;
  const count = Math.max(256, Math.min(kMostBins, Math.floor(kBinsOfAll / Math.max(1, threads * states))));
  const length = view.all / count, region = new Int32Array(threads * count).fill(kNoRegion);
  const before = new Float64Array(threads * (count + 1) * states); // a begin more behind the last bin
  const best = new Float64Array(count), regionOfSymbol = Int32Array.from(timeline.node, (_, i) => outermost(i));
  const {begin, key, first} = timeline;
  for (let thread = 0; thread < threads; ++thread) {
    best.fill(0);
    const row = thread * count, row0 = thread * (count + 1) * states;
    let last = -1, lastRegion = kNoRegion, sum = 0; // of one region in one bin, as long as they are the same
    for (let i = first[thread]; i < first[thread + 1] - 1; ++i) {
      if (key[i] < 0) continue;
      let from = begin[i];
      const to = begin[i + 1], kind = symbolClass[key[i]], its = regionOfSymbol[key[i]];
      for (let bin = Math.min(count - 1, Math.floor(from / length)); from < to && bin < count; ++bin) {
        const part = (bin === count - 1 ? to : Math.min(to, (bin + 1) * length)) - from;
        before[row0 + (bin + 1) * states + kind] += part;
        sum = bin === last && its === lastRegion ? sum + part : part;
        if (sum > best[bin]) { best[bin] = sum; region[row + bin] = its; }
        last = bin; lastRegion = its;
        from += part;
      }
    }
    for (let i = row0 + states; i < row0 + (count + 1) * states; ++i) before[i] += before[i - states];
  }
  bins = {count, length, states, before, region};
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
    numberRegions();
  }
  classify();
  fillBins();
}

// Puts the time by class of the thread's pixels into `sums` ([pixel][class]), and finds their regions.
function sumPixels(thread, width, sums, regions) {
  regions.fill(kNoRegion);
  if (hasBinsForPixels(width)) sumBins(thread, width, sums, regions);
  else sumPieces(thread, width, sums, regions);
}
const hasBinsForPixels = width => (view.end - view.begin) / width >= bins.length;

function sumBins(thread, width, sums, regions) {
  const {count, states, before, region} = bins, perPixel = (view.end - view.begin) / width / bins.length;
  const row = thread * count, row0 = thread * (count + 1) * states, last = new Float64Array(states);
  let bin = Math.min(count - 1, Math.floor(view.begin / bins.length));
  for (let x = -1; x < width; ++x) { // the first one is the begin of what is seen
    const end = Math.min(count, view.begin / bins.length + (x + 1) * perPixel), inside = Math.min(count - 1, Math.floor(end));
    const at = row0 + inside * states, part = end - inside;
    for (let k = 0; k < states; ++k) {
      const until = before[at + k] + part * (before[at + states + k] - before[at + k]), time = until - last[k];
      last[k] = until;
      if (x >= 0) sums[x * states + k] = time > kNoTime ? time : 0;
    }
    for (; x >= 0 && bin < end; ++bin) if (region[row + bin] !== kNoRegion) regions[x] = region[row + bin];
  }
}

function sumPieces(thread, width, sums, regions) {
  const perPixel = (view.end - view.begin) / width, states = bins.states;
  sums.fill(0);
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
function paintRow(pixels, width, top, height, {sums, regions, span}, colours, isDim) {
  const band = bandHeight(height), room = height - band - 2, states = bins.states;
  for (let x = 0; x < width; ++x) {
    if (regions[x] !== kNoRegion) {
      const colour = isDim ? colours.dim : colours.region[regionNumber.get(regions[x]) % regionColours.length];
      for (let y = 0; y < band; ++y) pixels[(top + y) * width + x] = colour;
    }
    let all = 0;
    for (let k = 0; k < states; ++k) all += sums[x * states + k];
    if (!(all > 0)) continue;
    // What is shorter than the pixel leaves the rest of it empty, but can be seen.
    const scale = room / Math.max(all, Math.min(span, all * room));
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

let isToDraw = false;
function redraw() {
  if (isToDraw) return;
  isToDraw = true;
  requestAnimationFrame(() => { isToDraw = false; drawTimeline(); });
}

let picture = null; // {image, pixels, sums, regions}: kept, as it is megabytes
function pictureOf(width, rows) {
  if (picture?.image.width !== width || picture.image.height !== rows || picture.sums.length !== width * bins.states) {
    const image = new ImageData(width, rows);
    picture = {image, pixels: new Uint32Array(image.data.buffer), sums: new Float64Array(width * bins.states), regions: new Int32Array(width)};
  }
  picture.pixels.fill(0);
  return picture;
}

// Rows in sight, of a frame that scrolls; on paper all. `bottom` is where the axis stands.
let isOnPaper = false;
function rowsInSight(height, threads) {
  const frame = byId("timeline-frame"), total = height * threads + kAxis;
  if (isOnPaper || frame.clientHeight >= total) return {from: 0, count: threads, bottom: total};
  const count = Math.min(threads, Math.ceil(frame.clientHeight / height) + 1);
  const from = Math.min(threads - count, Math.floor(frame.scrollTop / height));
  return {from, count, bottom: Math.min(total, frame.scrollTop + frame.clientHeight)};
}

// A canvas that gets a size is a new one.
function sizeCanvas(canvas, width, height) {
  if (canvas.width === width && canvas.height === height) return;
  canvas.width = width;
  canvas.height = height;
}

function drawTimeline() {
  if (!bins) return;
  const canvas = byId("timeline"), scale = devicePixelRatio || 1, height = rowHeight(), threads = process.threads.length;
  const style = getComputedStyle(document.body), shade = name => style.getPropertyValue(name).trim();
  const full = canvas.clientWidth || 1200, total = height * threads + kAxis;
  canvas.style.height = total + "px";
  sizeCanvas(canvas, Math.floor(full * scale), Math.floor(total * scale));
  const pen = canvas.getContext("2d"), width = Math.max(1, Math.floor((full - kLabel) * scale)), row = Math.round(height * scale);
  const seen = rowsInSight(height, threads), span = hasBinsForPixels(width) ? (view.end - view.begin) / width : 0;
  const {image, pixels, sums, regions} = pictureOf(width, row * seen.count);
  const dim = packedColour(rgbOf(shade("--faint")));
  const colours = {dim, region: regionColours.map(colour => packedColour(rgbOf(colour))),
    state: [...usedStates.map(name => packedColour(rgbOf(colourOf(name)))), dim]};
  for (let i = 0; i < seen.count; ++i) {
    const thread = seen.from + i;
    sumPixels(thread, width, sums, regions);
    paintRow(pixels, width, i * row, row, {sums, regions, span}, colours, selection.thread !== null && selection.thread !== thread);
  }
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.putImageData(image, kLabel * scale, seen.from * row);
  pen.scale(scale, scale);
  drawLabels(pen, full, seen, height, shade);
}

function drawLabels(pen, full, {from, count, bottom}, height, shade) {
  pen.font = Math.min(12, height) + "px system-ui, 'DejaVu Sans', sans-serif";
  pen.textBaseline = "middle";
  const every = height >= 12 ? 1 : 2;
  process.threads.slice(from, from + count).forEach((thread, k) => {
    const i = from + k;
    if (i % every) return;
    pen.fillStyle = shade(selection.thread === i ? "--accent" : "--soft");
    pen.fillText("thread " + thread.number, 4, i * height + height / 2);
  });
  pen.clearRect(0, bottom - kAxis, full, kAxis);
  const axis = d3.scaleLinear().domain([view.begin, view.end]).range([kLabel, full]);
  pen.fillStyle = shade("--soft");
  for (const tick of axis.ticks(10)) {
    pen.fillRect(axis(tick), bottom - 20, 1, 5);
    pen.fillText(Number(tick.toPrecision(6)) + " s", axis(tick) + 3, bottom - 9);
  }
  const span = dragged || selection.span;
  if (!span) return;
  pen.fillStyle = shade("--accent");
  pen.strokeStyle = shade("--accent");
  const [begin, end] = span.map(time => Math.max(kLabel, Math.min(full, axis(time))));
  pen.globalAlpha = 0.18;
  pen.fillRect(begin, 0, end - begin, bottom - kAxis);
  pen.globalAlpha = 1;
  pen.strokeRect(begin, 0.5, Math.max(1, end - begin), bottom - kAxis);
}

function setView(begin, length) {
  length = Math.max(Math.min(length, view.all), 1e-5);
  view.begin = Math.min(Math.max(0, begin), view.all - length);
  view.end = view.begin + length;
  redraw();
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
  const height = rowHeight(), thread = Math.floor(event.offsetY / height), {bottom} = rowsInSight(height, process.threads.length);
  if (thread < 0 || thread >= process.threads.length || event.offsetY >= bottom - kAxis) return null;
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

function drawOnPaper(isPaper) {
  isOnPaper = isPaper;
  drawTimeline();
}

function timelineEvents() {
  const canvas = byId("timeline");
  addEventListener("beforeprint", () => drawOnPaper(true));
  addEventListener("afterprint", () => drawOnPaper(false));
  byId("timeline-frame").addEventListener("scroll", redraw);
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
      redraw();
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
