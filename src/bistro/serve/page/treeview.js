// A tree one can ask: each word tells its other heads, labels and tags on hover, focus or tap, and draws arcs to the
// other heads. With the keyboard the tree is one stop; the arrows go from word to word.

import { h, svg, svgText } from "./dom.js";
import { describeWord } from "./describe.js";
import { popover, shareList } from "./popover.js";
import { isolate, percent } from "./text.js";
import { drawTree } from "./tree.js";

const WORTH_DRAWING = 0.005;
const ASIDE = 6;
const ASKABLE = { role: "button", tabindex: "-1", "aria-haspopup": "dialog", "aria-expanded": "false" };

export function treeView(analysis, words, marginals) {
  const tree = withShares(analysis, words, marginals);
  const { picture, place } = drawTree(tree);
  const nodes = [...picture.querySelectorAll(".node")].sort((a, b) => a.dataset.word - b.dataset.word);
  nodes.forEach((node, word) => makeAskable(node, word, { tree, nodes, marginals, place, picture }));
  nodes[0]?.setAttribute("tabindex", "0");
  return { picture, tree };
}

function withShares(analysis, words, marginals) {
  const shareOf = (table, values) =>
    table && values ? values.map((value, i) => table[i]?.find(([name]) => name === value)?.[1] ?? 0) : null;
  const heads = shareOf(marginals.heads, analysis.heads);
  const labels = shareOf(marginals.labels, analysis.labels);
  const tags = shareOf(marginals.tags, analysis.tags);
  return { ...analysis, words, probabilities: { heads, labels, tags } };
}

function makeAskable(node, word, context) {
  const { tree, nodes, place } = context;
  const shares = tree.probabilities;
  const label = [
    `${describeWord(tree, word)}${shares.heads ? `, ${percent(shares.heads[word])}` : ""}`,
    tree.tags && `tag ${tree.tags[word]}${shares.tags ? `, ${percent(shares.tags[word])}` : ""}`,
  ].filter(Boolean).join("; ");
  const attributes = { ...ASKABLE, "aria-label": label };
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  const open = (pinned) => {
    popover().open(node, content(word, context), () => forget(context.picture), { pinned });
    forget(context.picture);
    node.classList.add("asked");
    context.picture.append(alternativeArcs(word, context));
  };
  node.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && open(false));
  node.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && popover().release());
  node.addEventListener("click", () => open(true));
  node.addEventListener("focus", () => node.matches(":focus-visible") && open(false));
  node.addEventListener("blur", () => popover().anchor === node && !popover().pinned && popover().close());
  node.addEventListener("keydown", (event) => onkey(event, word, nodes, place.rtl, () => open(true)));
}

function onkey(event, word, nodes, rtl, pin) {
  const forward = rtl ? "ArrowLeft" : "ArrowRight";
  const back = rtl ? "ArrowRight" : "ArrowLeft";
  const aims = { [forward]: word + 1, [back]: word - 1, Home: 0, End: nodes.length - 1 };
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    pin();
  } else if (event.key in aims) {
    event.preventDefault();
    event.stopPropagation();
    const aim = nodes[aims[event.key]];
    if (!aim) return;
    nodes[word].setAttribute("tabindex", "-1");
    aim.setAttribute("tabindex", "0");
    aim.focus();
  }
}

function forget(picture) {
  picture.querySelector(".others")?.remove();
  picture.querySelector(".asked")?.classList.remove("asked");
}

function content(word, { tree, marginals }) {
  const named = (head) => (head === 0 ? "root" : `${isolate(tree.words[head - 1])} (${head})`);
  const heads = marginals.heads[word].map(([head, share]) => [named(head), share]);
  return [
    h("h3", { dir: "auto" }, tree.words[word]),
    shareList("Head", heads, named(tree.heads[word])),
    marginals.labels?.[word]?.length && shareList("Relation", marginals.labels[word], tree.labels?.[word]),
    marginals.tags?.[word]?.length && shareList("Tag", marginals.tags[word], tree.tags?.[word]),
  ];
}

// Dashed curves from the other heads, each with its probability.
function alternativeArcs(word, { tree, marginals, place }) {
  const others = marginals.heads[word].filter(([head, share]) => head !== tree.heads[word] && share >= WORTH_DRAWING);
  return otherArcs(word, others, place);
}

export function otherArcs(word, others, { layout, ground, metrics }) {
  const middle = layout.centres[word];
  return svg("g", { class: "others", "aria-hidden": "true" }, others.map(([head, share]) => {
    const end = head === 0 ? middle + ASIDE : middle;
    const start = head === 0 ? end : layout.centres[head - 1];
    const reach = Math.min(ground - metrics.margin - 6, 22 + Math.abs(start - end) * 0.35);
    const top = head === 0 ? metrics.margin : ground - reach;
    const curve = `M${start} ${ground}C${start} ${top} ${end} ${top} ${end} ${ground}`;
    const path = head === 0 ? `M${end} ${top}V${ground}` : curve;
    const x = (start + end) / 2;
    const y = head === 0 ? top + 8 : ground - 0.75 * reach;
    const label = percent(share);
    return svg("g", {},
      svg("path", { class: "line", d: path }),
      svg("path", { class: "tip", d: `M${end} ${ground}l-3.5 -7h7z` }),
      svg("rect", { class: "paper", x: x - 17, y: y - 8, width: 34, height: 16, rx: 4 }),
      svgText("label", x, y + 4, 11, label));
  }));
}
