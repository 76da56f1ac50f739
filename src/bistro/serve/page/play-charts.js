// Pictures of the playground: tables, curves on logarithmic axes, and the posterior as a map.

import { svg, svgText } from "./dom.js";

const COLOURS = 8;
const LETTER = 3.1;

function picture(kind, label, width, height, ...parts) {
  const box = { width, height, viewBox: `0 0 ${width} ${height}` };
  return svg("svg", { class: kind, role: "img", "aria-label": label, ...box }, ...parts);
}

function tickAt(x, y, text, anchor = "start") {
  return svg("text", { class: "tick", x, y, "text-anchor": anchor, "font-size": 11 }, text);
}

// Round tables in rows; the area of a table is that of its guests. `drawn` is [{ size, name, colour, isNew }].
export function tablesPicture(drawn, width, label) {
  const [unit, gap] = drawn.length > 40 ? [3.2, 5] : [6, 8];
  let [x, y, height] = [gap, gap, 0];
  const parts = drawn.map(({ size, name, colour, isNew }) => {
    const radius = Math.max(unit * Math.sqrt(size) + 3, name ? 9 : 4);
    const half = Math.max(radius, LETTER * [...(name ?? "")].length);
    if (x + 2 * half + gap > width && x > gap) [x, y, height] = [gap, y + height + gap, 0];
    const place = { cx: x + half, cy: y + radius };
    x += 2 * half + gap;
    height = Math.max(height, 2 * radius);
    const texts = radius > 7 ? [svgText("count", place.cx, place.cy + 4, Math.min(13, radius), String(size))] : [];
    if (name) texts.push(svgText("dish", place.cx, place.cy + radius + 12, 11, name));
    if (name) height = Math.max(height, 2 * radius + 14);
    const circle = svg("circle", { class: isNew ? "table new" : "table", ...place, r: radius });
    return svg("g", { class: `c${colour % COLOURS}` }, circle, ...texts);
  });
  const tall = y + height + gap;
  return picture("tables", label, width, tall, parts);
}

// Lines on axes whose scales are logarithms; `lines` is [{ points: [[x, y], ...], kind }], all numbers above 0.
export function logChart(lines, { width, height, xLabel, yLabel, label }) {
  const all = lines.flatMap((line) => line.points).filter(([, y]) => y > 0);
  const [left, right, top, bottom] = [44, 10, 24, 36];
  const most = [Math.max(10, ...all.map(([x]) => x)), Math.max(10, ...all.map(([, y]) => y))];
  const least = [1, Math.min(1, Math.max(0.1, Math.min(...all.map(([, y]) => y))))];
  const scale = (value, axis, from, to) => {
    const share = Math.log(value / least[axis]) / Math.log(most[axis] / least[axis]);
    return from + (to - from) * Math.min(1, Math.max(0, share));
  };
  const across = (x) => scale(x, 0, left, width - right);
  const up = (y) => scale(y, 1, height - bottom, top);
  const parts = ticks(least[1], most[1]).map((tick) => [
    svg("line", { class: "grid", x1: left, x2: width - right, y1: up(tick), y2: up(tick) }),
    tickAt(left - 6, up(tick) + 4, shown(tick), "end"),
  ]);
  for (const tick of ticks(1, most[0])) parts.push(tickAt(across(tick), height - bottom + 15, shown(tick), "middle"));
  parts.push(svgText("tick", (left + width - right) / 2, height - 4, 11, xLabel));
  parts.push(tickAt(4, 10, yLabel));
  for (const { points, kind } of lines) {
    const path = points.filter(([, y]) => y > 0).map(([x, y]) => `${across(x).toFixed(1)},${up(y).toFixed(1)}`);
    parts.push(svg("polyline", { class: `line ${kind}`, points: path.join(" ") }));
  }
  return picture("chart", label, width, height, parts);
}

function ticks(low, high) {
  const places = [];
  for (let tick = 10 ** Math.ceil(Math.log10(low) - 1e-9); tick <= high * 1.0001; tick *= 10) places.push(tick);
  return places;
}

function shown(number) {
  return number >= 1 ? Math.round(number).toLocaleString("en") : String(Number(number.toPrecision(1)));
}

// Numbers after each sweep as lines from left to right; `rows` is [{ values, kind }].
export function traceChart(rows, { width, height, label }) {
  const all = rows.flatMap((row) => row.values);
  const [low, high] = [Math.min(...all) - 1, Math.max(...all) + 1];
  const [left, bottom, top] = [34, 20, 8];
  const longest = Math.max(2, ...rows.map((row) => row.values.length));
  const across = (i) => left + ((width - left - 8) * i) / (longest - 1);
  const up = (y) => height - bottom - ((height - bottom - top) * (y - low)) / (high - low);
  const marks = [...new Set([low + 1, high - 1])];
  const parts = marks.map((y) => [
    svg("line", { class: "grid", x1: left, x2: width - 8, y1: up(y), y2: up(y) }),
    tickAt(left - 6, up(y) + 4, String(y), "end"),
  ]);
  for (const { values, kind } of rows) {
    const points = values.map((y, i) => `${across(i).toFixed(1)},${up(y).toFixed(1)}`).join(" ");
    parts.push(svg("polyline", { class: `line ${kind}`, points }));
    parts.push(svg("circle", { class: `dot ${kind}`, cx: across(values.length - 1), cy: up(values.at(-1)), r: 3 }));
  }
  parts.push(svgText("tick", (left + width) / 2, height - 4, 11, "sweep"));
  return picture("chart", label, width, height, parts);
}

// Probabilities by row (upwards) and column, darker where higher; `mark` is where the truth stands, in shares.
export function heatMap(grid, { width, height, xLabel, yLabel, xEnds, yEnds, mark, label }) {
  const [left, right, top, bottom] = [44, 10, 20, 36];
  const [wide, high] = [(width - left - right) / grid[0].length, (height - top - bottom) / grid.length];
  const most = Math.max(...grid.flat());
  const cells = grid.flatMap((row, i) => row.map((p, j) => p > most / 200 && svg("rect", {
    class: "cell", x: (left + j * wide).toFixed(2), y: (height - bottom - (i + 1) * high).toFixed(2),
    width: (wide + 0.4).toFixed(2), height: (high + 0.4).toFixed(2), "fill-opacity": (p / most).toFixed(3),
  })));
  const [x, y] = [left + mark[0] * (width - left - right), height - bottom - mark[1] * (height - top - bottom)];
  const size = { width: width - left - right, height: height - top - bottom };
  const frame = svg("rect", { class: "frame", x: left, y: top, ...size });
  const ends = [
    tickAt(left, height - bottom + 15, xEnds[0]), tickAt(width - right, height - bottom + 15, xEnds[1], "end"),
    tickAt(left - 6, height - bottom, yEnds[0], "end"),
    tickAt(left - 6, top + 8, yEnds[1], "end"),
    svgText("tick", (left + width - right) / 2, height - 4, 11, xLabel),
    tickAt(4, 10, yLabel),
  ];
  const cross = svg("path", { class: "truth", d: `M${x - 6},${y}h12M${x},${y - 6}v12` });
  return picture("chart map", label, width, height, cells, frame, ends, cross);
}
