// Drawing on canvases, in the colours of the style sheet.

function style(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const COLOURS = 12;
const groups = new Map();

/** Returns the fixed colour of a name in a group ("codelet", "job"). When COLOURS are used up, names share a colour. */
export function colourOf(group, name) {
  if (!groups.has(group)) groups.set(group, new Map());
  const given = groups.get(group);
  if (!given.has(name)) given.set(name, Math.min(given.size, COLOURS - 1));
  return style(`--c${given.get(name)}`);
}

/** Returns the canvas's context and size in CSS pixels, sharp on every screen; null while the canvas is hidden. */
function open(canvas, height) {
  const width = canvas.clientWidth;
  if (width === 0) return null;
  if (height !== undefined) canvas.style.height = `${height}px`;
  const tall = height ?? canvas.clientHeight;
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(tall * scale);
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  context.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  context.textBaseline = "middle";
  return {context, width, height: tall};
}

/** Draws a line without axes. The top of the canvas stands for `most` or a larger value. */
export function spark(canvas, series, most = 0) {
  const area = open(canvas);
  if (area === null || series.points.length < 2) return;
  const {context, width, height} = area;
  const end = series.points[series.points.length - 1][0];
  const span = Math.min(60, Math.max(15, end - series.points[0][0]));
  const top = Math.max(most, ...series.points.map((point) => point[1])) || 1;
  const x = (time) => width * (1 - (end - time) / span);
  const y = (value) => height - 1.5 - (height - 4) * value / top;
  context.beginPath();
  series.points.forEach(([time, value], i) => (i === 0 ? context.moveTo(x(time), y(value)) : context.lineTo(x(time), y(value))));
  context.strokeStyle = style("--accent");
  context.lineWidth = 1.5;
  context.stroke();
  context.lineTo(x(end), height);
  context.lineTo(x(series.points[0][0]), height);
  context.globalAlpha = 0.12;
  context.fillStyle = style("--accent");
  context.fill();
}

/** Returns the distance of grid lines: 1, 2 or 5 times a power of the base, with at most four lines above zero. */
function step(top, base) {
  let size = base === 2 ? 2 ** Math.floor(Math.log2(top / 4)) : 10 ** Math.floor(Math.log10(top / 4));
  for (const factor of base === 2 ? [1, 2, 4] : [1, 2, 5, 10]) {
    if (top / (size * factor) <= 4) return size * factor;
  }
  return size * 10;
}

/** Draws lines over two minutes at most. `lines`: [{name, series}]; `words` writes a value; `base` is 2 for bytes. */
export function lines(canvas, group, lines, words, base = 10) {
  const area = open(canvas);
  if (area === null) return;
  const {context, width, height} = area;
  const shown = lines.filter((line) => line.series.points.length > 0);
  const end = Math.max(0, ...shown.map((line) => line.series.points[line.series.points.length - 1][0]));
  const top = Math.max(0, ...shown.flatMap((line) => line.series.points.map((point) => point[1]))) || 1;
  const begin = Math.min(end, ...shown.map((line) => line.series.points[0][0]));
  const span = [30, 60].find((one) => end - begin <= one) ?? 120;
  const grid = step(top, base), bottom = height - 20;
  const labels = [];
  for (let value = 0; value <= top * 1.0001; value += grid) labels.push(value);
  const left = Math.ceil(Math.max(...labels.map((value) => context.measureText(words(value)).width))) + 10;
  const x = (time) => left + (width - left - 8) * (1 - (end - time) / span);
  const y = (value) => bottom - (bottom - 10) * value / Math.max(top, labels[labels.length - 1]);
  context.fillStyle = style("--quiet");
  context.strokeStyle = style("--line");
  context.lineWidth = 1;
  for (const value of labels) {
    context.textAlign = "right";
    context.fillText(words(value), left - 6, y(value));
    context.beginPath();
    context.moveTo(left, Math.round(y(value)) + 0.5);
    context.lineTo(width - 8, Math.round(y(value)) + 0.5);
    context.stroke();
  }
  timeAxis(context, x, end, span, width < 560 ? span / 2 : span / 4, bottom + 11);
  for (const line of shown) {
    context.beginPath();
    line.series.points.forEach(([time, value], i) => (i === 0 ? context.moveTo(x(time), y(value)) : context.lineTo(x(time), y(value))));
    context.strokeStyle = colourOf(group, line.name);
    context.lineWidth = 1.75;
    context.lineJoin = "round";
    context.stroke();
  }
  canvas.setAttribute("aria-label", shown.map((line) => `${line.name}: ${words(line.series.last)}`).join("; ") || "nothing yet");
}

function timeAxis(context, x, end, span, every, at) {
  context.fillStyle = style("--quiet");
  for (let back = 0; back <= span; back += every) {
    context.textAlign = back === 0 ? "right" : back === span ? "left" : "center";
    context.fillText(back === 0 ? "now" : `${Math.round(back * 10) / 10} s ago`, x(end - back), at);
  }
}

export const TIMELINE_SECONDS = 30;

/**
 * Draws one row per worker, coloured by the task that it ran. Returns a function for tooltips, which finds the sample
 * under a point: {worker, time, place}. `pick` returns a sample's indices into `names`; -1 is no task. `figures` has
 * two texts for the right margin of each row, under the headings `titles`.
 */
export function timeline(canvas, {samples, names, group, interval, labels, figures, titles, lost, end, pick}) {
  const rows = labels.length;
  const pitch = rows <= 16 ? 24 : rows <= 40 ? 16 : Math.max(5, Math.floor(640 / rows));
  const wide = canvas.clientWidth >= 560, top = wide ? 18 : 0;
  const area = open(canvas, top + rows * pitch + 22);
  if (area === null) return () => null;
  const {context} = area;
  const margin = wide ? 120 : 0, width = area.width - margin;
  // On narrow screens rows show only the worker's number; the table of workers names the device.
  const texts = wide ? labels : labels.map((_, i) => String(i));
  const left = Math.ceil(Math.max(...texts.map((text) => context.measureText(text).width))) + 12;
  const x = (time) => left + (width - left) * (1 - (end - time) / TIMELINE_SECONDS);
  const every = Math.ceil(14 / pitch);
  for (let row = 0; row < rows; ++row) {
    const middle = top + row * pitch + pitch / 2;
    // Before the first sample, draw only an empty frame.
    context.strokeStyle = style("--line");
    context.lineWidth = 1;
    context.strokeRect(left + 0.5, top + row * pitch + 2.5, width - left - 1, pitch - 5);
    if (samples.length > 0) {
      const begin = Math.max(left, x(samples[0].time));
      context.fillStyle = style("--idle");
      context.fillRect(begin, top + row * pitch + 2, width - begin, pitch - 4);
    }
    if (row % every !== 0) continue;
    context.fillStyle = lost[row] ? style("--bad") : style("--ink");
    context.textAlign = "left";
    context.fillText(texts[row], 0, middle);
    context.textAlign = "right";
    if (wide) figures[row].forEach((text, i) => context.fillText(text, width + 60 * (i + 1), middle));
  }
  context.fillStyle = style("--quiet");
  if (wide) titles.forEach((text, i) => context.fillText(text, width + 60 * (i + 1), 8));
  const colours = new Map();
  for (let row = 0; row < rows; ++row) drawRow(row);
  timeAxis(context, x, end, TIMELINE_SECONDS, width < 560 ? 15 : 5, top + rows * pitch + 13);
  return (px, py) => {
    const worker = Math.floor((py - top) / pitch);
    if (px < left || px > width || worker < 0 || worker >= rows) return null;
    const time = end - TIMELINE_SECONDS * (1 - (px - left) / (width - left));
    const sample = samples.findLast((one) => one.time <= time);
    return {worker, time, sample: sample !== undefined && time - sample.time < 4 * interval ? sample : null};
  };

  /** Draws one row; samples with the same content become one rectangle. */
  function drawRow(row) {
    let from = null, place = -1, until = 0;
    const flush = () => {
      if (from === null || place < 0) return;
      const name = names[place];
      if (!colours.has(name)) colours.set(name, colourOf(group, name));
      context.fillStyle = colours.get(name);
      const begin = Math.max(left, x(from));
      context.fillRect(begin, top + row * pitch + 2, Math.max(0.5, Math.min(width, x(until)) - begin), pitch - 4);
    };
    for (const sample of samples) {
      if (sample.time + interval < end - TIMELINE_SECONDS) continue;
      const now = pick(sample)[row] ?? -1;
      const joined = from !== null && now === place && sample.time - until < 3 * interval;
      if (!joined) {
        if (from !== null && sample.time - until < 3 * interval) until = sample.time;
        flush();
        from = sample.time;
        place = now;
      }
      until = sample.time + interval;
    }
    flush();
  }
}
