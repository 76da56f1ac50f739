// The mass of the analyses over the words: at each word a stack of blocks whose heights are probabilities, and bands
// from each block to those that grew from it. A band that ends in a cross was lost: none of the likeliest analyses
// continues it.

import { svg, svgText } from "./dom.js";

const BLOCK = 32;
const READABLE = 13;
const WORTH_A_CROSS = 0.01;

// Returns the shapes of each step; those between two words belong to the later one.
export function drawBands(lineage, columns, top, height) {
  const y = (share) => top + share * height;
  return lineage.map((step, t) => {
    const here = columns[t];
    const before = t ? columns[t - 1] : null;
    const shapes = [];
    if (before) {
      if (step.rest.from) shapes.push(drawBand(before, here, step.rest.from, step.rest, y, "band rest"));
      for (const node of step.nodes) {
        shapes.push(drawBand(before, here, node.from, node, y, `band ${node.colour}`));
      }
      for (const node of step.lost) shapes.push(drawEnd(before, here, node, y));
    }
    shapes.push(...drawBlocks(step, here, y, height));
    return shapes;
  });
}

function drawBlocks(step, column, y, height) {
  const left = column.centre - BLOCK / 2;
  const block = (part, kind) => {
    const tall = part.height * height;
    const label = `${Math.round(100 * part.height)}%`;
    return [
      svg("rect", { class: `block ${kind}`, x: left, y: y(part.top), width: BLOCK, height: Math.max(0.8, tall) }),
      tall >= READABLE && svgText("share", column.centre, y(part.top) + tall / 2 + 3.5, 10, label),
    ];
  };
  return [
    ...step.nodes.flatMap((node) => block(node, node.colour)),
    ...(step.rest.height * height > 0.5 ? block(step.rest, "rest") : []),
  ].filter(Boolean);
}

// Edges of the two blocks that face each other, in either direction of writing.
function edges(before, here) {
  const forward = here.centre > before.centre ? 1 : -1;
  return [before.centre + (forward * BLOCK) / 2, here.centre - (forward * BLOCK) / 2];
}

function drawBand(before, here, from, to, y, kind) {
  const [start, end] = edges(before, here);
  const bend = (start + end) / 2;
  const [a, b] = [y(from.top), y(from.top + from.height)];
  const [c, d] = [y(to.top), y(to.top + to.height)];
  const there = `M${start} ${a}C${bend} ${a} ${bend} ${c} ${end} ${c}`;
  const back = `V${d}C${bend} ${d} ${bend} ${b} ${start} ${b}Z`;
  return svg("path", { class: kind, d: there + back });
}

function drawEnd(before, here, node, y) {
  const [start, end] = edges(before, here);
  const stop = start + (end - start) * 0.55;
  const bend = (start + stop) / 2;
  const middle = y(node.top + node.height / 2);
  const [a, b] = [y(node.top), y(node.top + node.height)];
  return svg("g", { class: `lost ${node.colour}` },
    svg("path", { class: "band", d: `M${start} ${a}Q${bend} ${a} ${stop} ${middle}Q${bend} ${b} ${start} ${b}Z` }),
    node.height > WORTH_A_CROSS && svg("path", { class: "cross", d: `M${stop - 3} ${middle - 3}l6 6m0 -6l-6 6` }));
}
