// The reading as one picture: words in columns, under each its surprisal, and under that the mass of the live
// analyses. Columns after the current step are still to come and stand back.

import { svg, svgText } from "./dom.js";
import { drawBands } from "./bands.js";
import { describeBars } from "./describe.js";
import { FONT, bits, isRightToLeft, shownToken, textWidth } from "./text.js";

const WORDS = 34;
const BARS = 118;
const BANDS = 150;
const AXIS = 34;
const NARROWEST = 52;
const TIGHT = 40;
const WIDENING = 60;
const BAR = 28;

// `room` is the width to fill, if the words do not need more.
export function drawStrip(rows, lineage, { parts = false, room = 0, onpick } = {}) {
  const columns = placeColumns(rows, room);
  const width = columns.width;
  const ground = WORDS + BARS;
  const bandsTop = ground + 30;
  const height = lineage.length ? bandsTop + BANDS + 12 : ground + 14;
  const scale = scaleOf(rows, BARS - 22);
  const groups = rows.map((row, i) => drawColumn(row, columns.list[i], { scale, ground, parts, height, onpick }));
  const bands = lineage.length ? drawBands(lineage, columns.list, bandsTop, BANDS) : [];
  groups.forEach((group, i) => group.append(...(bands[i] ?? [])));
  const picture = svg(
    "svg",
    {
      class: "strip", viewBox: `0 0 ${width} ${height}`, width, height, "font-family": FONT, role: "img",
      "aria-label": `Surprisal of each word in bits: ${describeBars(rows)}`,
    },
    svg("rect", { class: "paper", width, height, rx: 6 }),
    svg("rect", { class: "now", y: 4, width: 0, height: height - 8, rx: 6 }),
    drawAxis(scale, ground, width, columns),
    lineage.length && drawBandsTitle(columns, bandsTop),
    groups,
  );
  const axis = fixedAxis({ scale, ground, columns, height, bandsTop: lineage.length ? bandsTop : null });
  return { picture, axis, columns: columns.list, show: (step) => showStep(picture, columns.list, step) };
}

function placeColumns(rows, room) {
  const rtl = isRightToLeft(rows.map((row) => row.token).filter((token) => token !== "</s>"));
  const widthOf = (row, least, aside) => Math.max(least, textWidth(shownToken(row.token), 15, 600) + aside);
  const total = (list) => list.reduce((sum, one) => sum + one, 0);
  let needed = rows.map((row) => widthOf(row, NARROWEST, 18));
  if (AXIS + total(needed) + 8 > room) needed = rows.map((row) => widthOf(row, TIGHT, 8));
  const spare = room - AXIS - 8 - needed.reduce((sum, one) => sum + one, 0);
  const wider = Math.min(WIDENING, Math.max(0, spare / rows.length));
  const widths = needed.map((one) => one + wider);
  const width = AXIS + widths.reduce((sum, one) => sum + one, 0) + 8;
  let x = AXIS;
  const list = widths.map((one) => {
    const left = rtl ? width - x - one : x;
    x += one;
    return { left, width: one, centre: left + one / 2 };
  });
  return { list, width, rtl };
}

function scaleOf(rows, height) {
  const highest = Math.max(6, ...rows.map((row) => (row.surprisal ?? 0) + (row.mc_se ?? 0)));
  const tick = [2, 5, 10, 20, 50].find((step) => highest / step <= 4) ?? 100;
  return { of: (value) => (height * value) / highest, highest, tick };
}

// The axis once more, to stay where it is when the strip is scrolled.
function fixedAxis({ scale, ground, columns, height, bandsTop }) {
  const { rtl, width } = columns;
  const left = rtl ? width - AXIS : 0;
  return svg("svg", {
    class: "strip fixed-axis", viewBox: `${left} 0 ${AXIS} ${height}`, width: AXIS, height, "font-family": FONT,
    "aria-hidden": "true", "data-rtl": rtl,
  },
  svg("rect", { class: "paper", x: left, width: AXIS, height }),
  drawAxis(scale, ground, width, columns),
  bandsTop !== null && drawBandsTitle(columns, bandsTop));
}

function drawAxis(scale, ground, width, { rtl }) {
  const ticks = [];
  const across = rtl ? [8, width - AXIS] : [AXIS, width - 8];
  for (let value = 0; value <= scale.highest; value += scale.tick) {
    const y = ground - scale.of(value);
    const x = rtl ? width - AXIS + 6 : AXIS - 6;
    ticks.push(
      svg("path", { class: value ? "grid" : "axis", d: `M${across[0]} ${y}H${across[1]}` }),
      tick(x, y + 3.5, rtl, String(value)),
    );
  }
  return svg("g", {}, ticks, svgText("tick", rtl ? width - AXIS / 2 : AXIS / 2, 20, 10, "bits"));
}

function tick(x, y, rtl, text) {
  return svg("text", { class: "tick", x, y, "text-anchor": rtl ? "start" : "end", "font-size": 10 }, text);
}

function drawBandsTitle({ rtl, width }, top) {
  const x = rtl ? width - AXIS + 6 : AXIS - 6;
  const at = (share, text) => tick(x, top + share * BANDS + 3.5, rtl, text);
  return svg("g", {}, at(0, "100%"), at(0.5, "50%"), at(1, "0"));
}

function drawColumn(row, column, { scale, ground, parts, height, onpick }) {
  const isEnd = row.token === "</s>";
  const kind = ["column", row.oov && "oov", isEnd && "end"].filter(Boolean).join(" ");
  const x = column.centre;
  return svg(
    "g",
    { class: kind, "data-step": row.word, onclick: onpick && (() => onpick(row.word)) },
    svg("title", {}, tellRow(row)),
    svg("rect", { class: "hit", x: column.left, y: 0, width: column.width, height }),
    svgText("word", x, 21, isEnd ? 12 : 15, shownToken(row.token)),
    row.oov && svgText("unknown", x, 33, 9.5, "unknown"),
    row.surprisal !== null && drawBar(row, x, scale, ground, parts),
  );
}

function drawBar(row, x, scale, ground, parts) {
  const tall = scale.of(row.surprisal);
  const error = row.mc_se ? scale.of(row.mc_se) : 0;
  const split = parts && row.surprisal_syn !== null && row.surprisal_syn !== undefined;
  const syntax = split ? scale.of(Math.max(0, Math.min(row.surprisal, row.surprisal_syn))) : 0;
  const left = x - BAR / 2;
  return svg("g", { class: "bar" },
    svg("rect", { class: split ? "lexical" : "whole", x: left, y: ground - tall, width: BAR, height: tall - syntax }),
    split && svg("rect", { class: "syntactic", x: left, y: ground - syntax, width: BAR, height: syntax }),
    error > 0.6 && drawWhisker(x, ground - tall, error),
    svgText("value", x, ground - tall - error - 5, 11, bits(row.surprisal)),
  );
}

function drawWhisker(x, middle, error) {
  const cap = (y) => `M${x - 4} ${y}h8`;
  const d = `M${x} ${middle - error}V${middle + error}${cap(middle - error)}${cap(middle + error)}`;
  return svg("path", { class: "whisker", d });
}

function tellRow(row) {
  const lines = [`${shownToken(row.token)}: ${bits(row.surprisal)} bits`];
  if (row.mc_se) lines[0] += ` ± ${row.mc_se.toFixed(2)} (standard error)`;
  if (row.surprisal_syn !== null && row.surprisal_syn !== undefined) {
    lines.push(`syntactic ${bits(row.surprisal_syn)}, lexical ${bits(row.surprisal_lex)}`);
  }
  if (row.oov) lines.push("unknown to the model");
  return lines.join("\n");
}

function showStep(picture, columns, step) {
  for (const group of picture.querySelectorAll(".column")) {
    group.classList.toggle("future", Number(group.dataset.step) > step);
    group.classList.toggle("current", Number(group.dataset.step) === step);
  }
  const now = columns[step - 1];
  const marker = picture.querySelector(".now");
  marker.setAttribute("x", now.left + 2);
  marker.setAttribute("width", now.width - 4);
}
