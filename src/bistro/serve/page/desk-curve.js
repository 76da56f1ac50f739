// How many of the suggestions were kept, over the confirmed sentences; lessons are lines across it.

import { h, svg, svgText } from "./dom.js";
import { count, percent } from "./text.js";

const SIZE = { width: 300, height: 90, left: 36, bottom: 16, top: 6 };
const WINDOW = 10;

export function curveView({ learning, model, done }) {
  const { curve, lessons, busy, every, problem } = learning;
  const counted = curve.filter(([offered]) => offered);
  const parts = [];
  if (counted.length) {
    const lately = `of the last ${Math.min(WINDOW, counted.length)} sentences ${percent(mean(counted.slice(-WINDOW)))}`;
    parts.push(`kept: ${percent(mean(counted))}, ${lately}`);
  }
  const which = model.number ? `model ${model.number + 1} of this desk` : "the model from the command line";
  parts.push(`${which} (${model.kind})`);
  if (busy) parts.push("a new model is being trained …");
  else if (every && !lessons.length)
    parts.push(`a new model is trained after ${count(every, "confirmed sentence")}, ${done} so far`);
  const last = lessons.at(-1);
  if (last) parts.push(tellLesson(last));
  if (problem) parts.push(`the last training failed: ${problem}`);
  const text = parts.join(" · ");
  return [
    h("h2", {}, "Suggestions kept"),
    counted.length > 1 && drawCurve(counted),
    h("p", { class: "note" }, `${text[0].toUpperCase()}${text.slice(1)}.`),
  ];
}

function tellLesson({ las, las_candidate: candidate, taken, sentences }) {
  if (candidate === null) return `last training: too few sentences to compare (${sentences})`;
  const figures = `${candidate.toFixed(1)} against ${las.toFixed(1)} % of arcs correct on the newest sentences`;
  return `last training: the new model ${taken ? "is now used" : "is not used"}, ${figures}`;
}

function mean(rows) {
  const sum = (i) => rows.reduce((total, row) => total + row[i], 0);
  return sum(1) / sum(0);
}

function drawCurve(rows) {
  const { width, height, left, bottom, top } = SIZE;
  const inner = { width: width - left - 6, height: height - bottom - top };
  const points = rows.map((_, i) => mean(rows.slice(Math.max(0, i + 1 - WINDOW), i + 1)));
  const x = (i) => left + (inner.width * i) / Math.max(1, rows.length - 1);
  const y = (share) => top + inner.height * (1 - share);
  const path = points.map((share, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(share).toFixed(1)}`).join("");
  const way = `from ${percent(points[0])} to ${percent(points.at(-1))}`;
  return svg("svg", {
    class: "kept", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": `Share of suggestions kept, ${way} over ${rows.length} sentences`,
  },
    [0, 0.5, 1].map((share) => [
      svg("path", { class: "grid", d: `M${left} ${y(share)}H${width - 6}` }),
      svgText("label", left - 18, y(share) + 3.5, 10, `${100 * share}%`),
    ]),
    svg("path", { class: "line", d: path }),
    svgText("label", left, height - 3, 10, "1"),
    svgText("label", width - 12, height - 3, 10, String(rows.length)));
}
