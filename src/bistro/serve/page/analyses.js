// The live analyses at one word, likeliest first: how much of the mass each has, how much it had a word ago, and
// its partial tree. Rows belong to lineages, so that a row grows, shrinks and climbs as its analysis does; those
// that were lost at this word stay one step longer, crossed out.

import { h, massBar, prefersStillness, replace, setVariables } from "./dom.js";
import { newArcs, otherArcsThan } from "./describe.js";
import { count, percent, shownToken } from "./text.js";
import { drawTree } from "./tree.js";

const SHOWN = 6;
const ALWAYS_SHOWN = 2;
const MOST_TOLD = 3;
const SMALLEST = 0.75;
const WORTH_A_ROW = { live: 0.001, lost: 0.01 };

export class Analyses {
  constructor(words, lineage) {
    this.words = words;
    this.lineage = lineage;
    this.rows = new Map();
    this.heading = h("h3", {});
    this.note = h("p", { class: "note" });
    this.list = h("ol", { class: "analyses" });
    this.element = h("div", { class: "live" }, this.heading, this.note, this.list);
  }

  show(number) {
    const step = this.lineage[number - 1];
    const before = this.positions();
    const { token, alive, entropy } = step.step;
    const isEnd = number > this.words.length;
    this.heading.textContent = isEnd ? "Analyses at the end" : `Analyses after “${shownToken(token)}”`;
    this.note.textContent = this.tellCount(step, alive, entropy);
    const best = bestOf(step);
    const lost = step.lost.filter((node) => node.live.probability >= WORTH_A_ROW.lost);
    replace(this.list, best.map((node) => this.row(node, step)), lost.map((node) => this.lostRow(node)));
    const kept = new Set([...best, ...lost].map((node) => node.lineage));
    for (const key of [...this.rows.keys()]) if (!kept.has(key)) this.rows.delete(key);
    this.glide(before);
    for (const { item, picture } of this.rows.values()) fit(item, picture);
  }

  tellCount(step, alive, entropy) {
    const others = 1 - bestOf(step).reduce((sum, node) => sum + node.live.probability, 0);
    const parts = [`${count(alive, "analysis", "analyses")} kept in mind`];
    if (entropy !== null && entropy !== undefined) parts.push(`entropy over these trees ${entropy.toFixed(2)} bits`);
    if (others > 0.0005) parts.push(`the remaining analyses have ${percent(others)}`);
    return parts.join(" · ");
  }

  row(node, step) {
    const { probability } = node.live;
    const isHeir = node.parent?.lineage === node.lineage;
    const before = isHeir ? node.parent.live.probability : null;
    const parts = this.parts(node.lineage);
    setVariables(parts.item, { share: probability, before: before ?? 0 });
    parts.item.className = `analysis ${node.colour}`;
    parts.share.textContent = percent(probability);
    parts.change.textContent = step === this.lineage[0] ? "" : tellChange(probability, before, node.parent);
    this.draw(node, parts, step.ranked[0]);
    parts.news.textContent = this.caption(node, step);
    return parts.item;
  }

  // What is new in the likeliest analysis; of the others, what they have that it has not.
  caption(node, step) {
    const leader = step.ranked[0];
    if (node !== leader) return shortened(otherArcsThan(leader.live, node.live, this.words));
    return node.parent ? shortened(newArcs(node.live, node.parent.live, this.words)) : "";
  }

  lostRow(node) {
    const parts = this.parts(node.lineage);
    parts.item.className = `analysis lost ${node.colour}`;
    setVariables(parts.item, { share: 0, before: node.live.probability });
    parts.share.textContent = "×";
    parts.change.textContent = `lost, had ${percent(node.live.probability)}`;
    parts.news.textContent = "";
    this.draw(node, parts, node);
    return parts.item;
  }

  // Tags are told where they differ from those of the likeliest analysis.
  draw({ live: { heads, labels, tags } }, parts, leader) {
    const words = this.words.slice(0, heads.length);
    const telling = tags?.map((tag, i) => (tag === leader.live.tags[i] ? "" : tag));
    replace(parts.picture, drawTree({ words, heads, labels, tags: telling }, { small: true }).picture);
  }

  parts(lineage) {
    if (!this.rows.has(lineage)) {
      const share = h("span", { class: "share" });
      const change = h("span", { class: "change" });
      const news = h("p", { class: "news" });
      const picture = h("div", { class: "picture", tabindex: "0", role: "group", "aria-label": "Partial tree" });
      const item = h("li", {}, h("div", { class: "figures" }, share, change, massBar(true), news), picture);
      this.rows.set(lineage, { item, share, change, news, picture });
    }
    return this.rows.get(lineage);
  }

  positions() {
    return new Map([...this.rows].map(([key, { item }]) => [key, item.getBoundingClientRect().top]));
  }

  // Rows that changed their rank move there instead of jumping.
  glide(before) {
    if (prefersStillness()) return;
    for (const [key, { item }] of this.rows) {
      const way = before.has(key) ? before.get(key) - item.getBoundingClientRect().top : 0;
      const start = before.has(key) ? { transform: `translateY(${way}px)` } : { opacity: 0 };
      if (way || !before.has(key)) item.animate([start, {}], { duration: 350, easing: "ease" });
    }
  }
}

function bestOf(step) {
  const isWorthIt = (node, rank) => rank < ALWAYS_SHOWN || node.live.probability >= WORTH_A_ROW.live;
  return step.ranked.slice(0, SHOWN).filter(isWorthIt);
}

function shortened(arcs) {
  const rest = arcs.length - MOST_TOLD;
  return [...arcs.slice(0, MOST_TOLD), rest > 0 && `and ${rest} more`].filter(Boolean).join(", ");
}

function tellChange(now, before, parent) {
  if (before === null) return parent ? "branched off" : "new";
  if (percent(now) === percent(before)) return "as before";
  return `${now > before ? "▲" : "▼"} from ${percent(before)}`;
}

// A partial tree that is too wide gets the whole width, then smaller letters; what is still too long shows its newest
// words, cut between two words, and can be scrolled back.
function fit(item, box) {
  const picture = box.querySelector("svg");
  const { width, height } = picture.viewBox.baseVal;
  item.classList.toggle("wide", width > box.clientWidth);
  const scale = Math.min(1, Math.max(SMALLEST, box.clientWidth / width));
  picture.setAttribute("width", width * scale);
  picture.setAttribute("height", height * scale);
  const over = width * scale - box.clientWidth;
  if (over <= 1) return;
  const rtl = picture.hasAttribute("data-rtl");
  const edges = [...picture.querySelectorAll(".hit")].map((hit) => scale * (rtl
    ? width - hit.x.baseVal.value - hit.width.baseVal.value : hit.x.baseVal.value));
  const edge = Math.min(...edges.filter((one) => one >= over), over + box.clientWidth / 2);
  box.style.paddingInlineEnd = `${Math.max(0, edge - over)}px`;
  box.scrollLeft = rtl ? 0 : edge;
}
