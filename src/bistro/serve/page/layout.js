// Where words and arcs stand in the picture of a dependency tree.
//
// The height of an arc is its nesting level: 1 + the highest level among shorter arcs that overlap it. On a word
// the legs of its arcs stand in the order that keeps nested arcs from touching, and words move apart until every
// label fits its arc. Words count from 0; a root is an arc from a word to itself. The pictures of the Python
// package follow the same rules.

export const FULL = { word: 16, tag: 11, label: 11, level: 27, gap: 18, corner: 9, leg: 7, margin: 14, padding: 4 };
export const SMALL = { word: 12.5, tag: 9.5, label: 9.5, level: 19, gap: 9, corner: 6, leg: 5, margin: 5, padding: 2 };
const WIDEST_FAN = 48;

export function arrange(arcs, wordWidths, metrics) {
  const roots = arcs.filter((arc) => arc.head === arc.dependent);
  const spans = arcs.filter((arc) => arc.head !== arc.dependent);
  for (const arc of spans) {
    arc.low = Math.min(arc.head, arc.dependent);
    arc.high = Math.max(arc.head, arc.dependent);
  }
  spans.sort((a, b) => a.high - a.low - (b.high - b.low) || a.low - b.low);
  setLevels(spans);
  const fans = setOffsets(spans, roots, wordWidths.length, metrics);
  const halves = wordWidths.map((width, word) => Math.max(width, fans[word]) / 2);
  for (const root of roots) {
    const reach = Math.abs(root.dependentOffset) + root.captionWidth / 2;
    halves[root.dependent] = Math.max(halves[root.dependent], reach);
  }
  const gaps = setGaps(spans, halves, metrics);
  const centres = [];
  let x = metrics.margin + (halves[0] ?? 0);
  halves.forEach((_, word) => centres.push((x += word ? gaps[word - 1] : 0)));
  const width = x + (halves.at(-1) ?? 0) + metrics.margin;
  const levels = spans.reduce((highest, arc) => Math.max(highest, arc.level), 0);
  return { spans, roots, centres, halves, width, levels };
}

export function mirror(layout) {
  layout.centres = layout.centres.map((x) => layout.width - x);
  for (const arc of [...layout.spans, ...layout.roots]) {
    arc.headOffset = -arc.headOffset;
    arc.dependentOffset = -arc.dependentOffset;
  }
}

function setLevels(spans) {
  spans.forEach((arc, rank) => {
    const below = spans.slice(0, rank).filter((other) => arc.low < other.high && other.low < arc.high);
    arc.level = 1 + below.reduce((highest, other) => Math.max(highest, other.level), 0);
  });
}

function setOffsets(spans, roots, size, metrics) {
  const attached = Array.from({ length: size }, () => []);
  for (const arc of spans) {
    attached[arc.dependent].push(arc);
    attached[arc.head].push(arc);
  }
  for (const root of roots) attached[root.dependent].push(root);
  return attached.map((arcs, word) => {
    arcs.sort((a, b) => compareLegs(legOrder(a, word), legOrder(b, word)));
    const steps = Math.max(1, arcs.length - 1);
    const fan = Math.min(metrics.leg * steps, WIDEST_FAN);
    arcs.forEach((arc, place) => {
      const offset = (fan * (place - (arcs.length - 1) / 2)) / steps;
      if (arc.dependent === word) arc.dependentOffset = offset;
      if (arc.head === word) arc.headOffset = offset;
    });
    return fan;
  });
}

function legOrder(arc, word) {
  if (arc.head === arc.dependent) return [1, 0];
  return arc.high === word ? [0, arc.high - arc.low] : [2, arc.low - arc.high];
}

function compareLegs(a, b) {
  return a[0] - b[0] || a[1] - b[1];
}

function setGaps(spans, halves, metrics) {
  const gaps = halves.slice(1).map((half, word) => halves[word] + metrics.gap + half);
  for (const arc of spans) {
    const inwards = arc.headOffset - arc.dependentOffset;
    const inside = arc.head < arc.dependent ? inwards : -inwards;
    const room = gaps.slice(arc.low, arc.high).reduce((sum, gap) => sum + gap, 0) - inside;
    const missing = Math.max(0, arc.captionWidth + 2 * metrics.corner - room);
    for (let gap = arc.low; gap < arc.high; gap += 1) gaps[gap] += missing / (arc.high - arc.low);
  }
  return gaps;
}
