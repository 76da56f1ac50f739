// A dependency tree as arcs over words, one SVG. Each word is a group `.node` with its incoming arc, so that what
// belongs together lights up together. Heads count from 1, 0 is the root and -1 a word that is not attached yet.

import { svg, svgText } from "./dom.js";
import { FULL, SMALL, arrange, mirror } from "./layout.js";
import { FONT, isRightToLeft, percent, textWidth } from "./text.js";
import { describeTree } from "./describe.js";

const TIP = { height: 7, half: 3.5 };
const SURE = 0.995;

// `tree` has words, heads, labels, tags, and optionally probabilities {heads, labels, tags} of what is drawn. Tags
// may be empty for words whose tag need not be told.
export function drawTree(tree, { small = false } = {}) {
  const metrics = small ? SMALL : FULL;
  const rows = rowsUnderWords(tree, metrics);
  const arcs = arcsOf(tree, metrics);
  const layout = arrange(arcs, tree.words.map((word, i) => widest(word, rows, i, metrics)), metrics);
  const rtl = isRightToLeft(tree.words);
  if (rtl) mirror(layout);
  const ground = metrics.margin + metrics.level * (layout.levels + (layout.roots.length ? 1 : 0)) + 6;
  const baseline = ground + 5 + metrics.word;
  const height = baseline + rows.length * (metrics.tag + 5) + metrics.margin / 2 + 4;
  const place = { layout, metrics, ground, baseline, height, rtl, rows };
  const highestFirst = [...layout.roots, ...[...layout.spans].sort((a, b) => b.level - a.level)];
  const free = tree.words.map((_, i) => i).filter((i) => !arcs.some((arc) => arc.dependent === i));
  const nodes = [
    ...highestFirst.map((arc) => drawNode(tree, arc.dependent, place, drawArc(arc, place))),
    ...free.map((word) => drawNode(tree, word, place, null)),
  ];
  const picture = svg(
    "svg",
    {
      class: small ? "tree small" : "tree", viewBox: `0 0 ${layout.width} ${height}`,
      width: layout.width, height, "font-family": FONT, role: small ? "img" : "group", "data-rtl": rtl,
      "aria-label": small ? describeTree(tree) : `Dependency tree of: ${tree.words.join(" ")}`,
    },
    svg("desc", {}, describeTree(tree)),
    svg("rect", { class: "paper", width: layout.width, height, rx: 6 }),
    nodes,
  );
  return { picture, place };
}

function arcsOf(tree, metrics) {
  const arcs = [];
  tree.heads.forEach((head, dependent) => {
    if (head < 0) return;
    const label = tree.labels?.[dependent] ?? "";
    const doubt = tree.probabilities?.labels?.[dependent];
    const caption = label === "_" ? "" : label + (doubt < SURE ? ` ${percent(doubt)}` : "");
    const captionWidth = caption ? textWidth(caption, metrics.label) + 2 * metrics.padding : 0;
    const share = tree.probabilities?.heads?.[dependent] ?? 1;
    arcs.push({ dependent, head: head === 0 ? dependent : head - 1, caption, captionWidth, share });
  });
  return arcs;
}

function rowsUnderWords(tree, metrics) {
  const rows = [];
  const shares = tree.probabilities;
  const doubtful = (share) => (share < SURE ? percent(share) : "");
  if (tree.tags?.some((tag) => tag && tag !== "_")) {
    const texts = tree.tags.map((tag, i) => `${tag} ${doubtful(shares?.tags?.[i])}`.trim());
    rows.push({ kind: "tag", texts });
  }
  if (shares?.heads) {
    const texts = shares.heads.map((share) => (doubtful(share) ? `↷ ${percent(share)}` : ""));
    rows.push({ kind: "head", texts });
  }
  return rows;
}

function widest(word, rows, i, metrics) {
  const below = rows.map((row) => textWidth(row.texts[i], metrics.tag));
  return Math.max(textWidth(word, metrics.word), ...below);
}

function drawNode(tree, word, place, arc) {
  const { layout, metrics, baseline, rows } = place;
  const x = layout.centres[word];
  const open = tree.heads[word] < 0;
  const below = (row, i) => svgText(row.kind, x, baseline + (i + 1) * (metrics.tag + 5), metrics.tag, row.texts[word]);
  return svg(
    "g",
    { class: open ? "node open" : "node", "data-word": word + 1 },
    arc,
    svg("rect", {
      class: "hit", x: x - layout.halves[word] - 3, y: place.ground + 1, rx: 4,
      width: 2 * layout.halves[word] + 6, height: place.height - place.ground - 3,
    }),
    svgText("word", x, baseline, metrics.word, tree.words[word]),
    open && drawOpenMark(x, tree.words[word], place),
    rows.map(below),
  );
}

function drawOpenMark(x, word, { metrics, baseline }) {
  const half = textWidth(word, metrics.word) / 2;
  return svg("path", { class: "waiting", d: `M${x - half} ${baseline + 4}h${2 * half}` });
}

function drawArc(arc, { layout, metrics, ground }) {
  const isRoot = arc.head === arc.dependent;
  const start = layout.centres[arc.head] + arc.headOffset;
  const end = layout.centres[arc.dependent] + arc.dependentOffset;
  const top = isRoot ? metrics.margin + 4 : ground - metrics.level * arc.level;
  const half = metrics.label * 0.75;
  const x = (start + end) / 2;
  const opacity = (0.3 + 0.7 * arc.share).toFixed(2);
  const caption = arc.caption && [
    svg("rect", {
      class: "paper", x: x - arc.captionWidth / 2, y: top - half, width: arc.captionWidth, height: 2 * half, rx: 4,
    }),
    svgText("label", x, top + metrics.label * 0.36, metrics.label, arc.caption),
  ];
  return svg("g", { class: isRoot ? "arc root" : "arc" },
    svg("path", { class: "line", d: arcPath(isRoot, start, end, top, ground, metrics.corner), opacity }),
    svg("path", { class: "tip", d: `M${end} ${ground}l${-TIP.half} ${-TIP.height}h${2 * TIP.half}z`, opacity }),
    caption);
}

function arcPath(isRoot, start, end, top, ground, widestCorner) {
  const landing = ground - TIP.height / 2;
  if (isRoot) return `M${end} ${top}V${landing}`;
  const corner = Math.min(widestCorner, Math.abs(end - start) / 2);
  const turn = end > start ? corner : -corner;
  const up = `M${start} ${ground}V${top + corner}q0 ${-corner} ${turn} ${-corner}`;
  return `${up}H${end - turn}q${turn} 0 ${turn} ${corner}V${landing}`;
}
