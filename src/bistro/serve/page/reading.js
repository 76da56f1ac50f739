// One sentence read word by word: the strip of bars and bands, the player, the live analyses, the same as a table.

import { announce, h } from "./dom.js";
import { Analyses } from "./analyses.js";
import { describeStep } from "./describe.js";
import { exportButtons, tsv } from "./export.js";
import { lineages } from "./lineage.js";
import { Player } from "./player.js";
import { drawStrip } from "./strip.js";
import { bits, isRightToLeft, percent, shownToken } from "./text.js";

const ABOUT_BANDS =
  "Below the bars: how probability moves between analyses. Grey: unlikely analyses; ×: lost ones.";

export class Reading {
  constructor(answer, { parts, onstep, onparts }) {
    this.answer = answer;
    this.parts = parts;
    this.onparts = onparts;
    this.onstep = onstep;
    this.lineage = lineages(answer.steps);
    this.player = new Player(answer.rows, isRightToLeft(answer.words), (step) => this.show(step, true));
    this.analyses = this.lineage.length ? new Analyses(answer.words, this.lineage) : null;
    this.box = scrollBox("canvas", "Surprisal and analyses, word by word");
    this.frame = h("div", { class: "strip-frame" }, this.box);
    this.element = this.build();
    this.draw();
    this.watcher = new ResizeObserver(() => this.redraw());
    this.watcher.observe(this.box);
  }

  build() {
    const { rows, protocol } = this.answer;
    const hasParts = rows.some((row) => row.surprisal_syn !== null && row.surprisal_syn !== undefined);
    const toggled = (event) => this.onparts(event.target.checked);
    const toggle = hasParts && h("label", { class: "choice" },
      h("input", { type: "checkbox", class: "parts", checked: this.parts, onchange: toggled }),
      "Syntactic and lexical part");
    const table = { name: "TSV", file: "surprisal.tsv", type: "text/tab-separated-values", content: () => tsv(rows) };
    const exports = exportButtons("reading", () => this.strip.picture, [table]);
    return h("section", { class: "reading", onkeydown: (event) => this.player.onkey(event) },
      h("div", { class: "bar-of-tools" }, h("h2", {}, "Reading"), toggle, exports),
      this.player.element,
      this.frame,
      h("p", { class: "note" }, this.legend(hasParts)),
      this.analyses?.element,
      h("details", {}, h("summary", {}, "As a table"),
        scrollBox("scroll", "Table of the reading", readingTable(rows, this.lineage))),
      h("p", { class: "protocol" }, protocol));
  }

  legend(hasParts) {
    const items = [h("span", {}, `${bits(this.total)} bits in all.`)];
    if (this.parts && hasParts) {
      items.push(...["syntactic", "lexical"].map((part) => h("span", { class: `key ${part}` }, part)));
    }
    if (this.lineage.length) items.push(h("span", {}, ABOUT_BANDS));
    return items;
  }

  get total() {
    return this.answer.rows.reduce((sum, row) => sum + (row.surprisal ?? 0), 0);
  }

  draw() {
    this.strip = drawStrip(this.answer.rows, this.lineage, {
      parts: this.parts, room: this.box.clientWidth, onpick: (step) => this.player.go(step),
    });
    this.room = this.box.clientWidth;
    this.box.replaceChildren(this.strip.picture);
    this.frame.replaceChildren(this.box, this.strip.axis);
    this.frame.classList.toggle("scrolls", this.strip.picture.viewBox.baseVal.width > this.room + 1);
  }

  redraw() {
    if (this.room === this.box.clientWidth) return;
    this.draw();
    this.strip.show(this.player.step);
    this.keepInView();
  }

  get last() {
    return this.answer.rows.length;
  }

  show(step, byUser = false) {
    if (!byUser) this.player.set(step);
    this.strip.show(this.player.step);
    this.analyses?.show(this.player.step);
    this.keepInView();
    if (!byUser) return;
    const place = this.player.step - 1;
    announce(describeStep(this.answer.rows[place], this.lineage[place], this.answer.words.length));
    this.onstep(this.player.step);
  }

  keepInView() {
    const { left, width } = this.strip.columns[this.player.step - 1];
    const { scrollLeft, clientWidth } = this.box;
    if (left < scrollLeft + 40) this.box.scrollLeft = left - 60;
    else if (left + width > scrollLeft + clientWidth - 20) this.box.scrollLeft = left + width + 40 - clientWidth;
  }

  close() {
    this.player.pause();
    this.watcher.disconnect();
  }
}

function scrollBox(kind, name, ...content) {
  return h("div", { class: kind, tabindex: "0", role: "group", "aria-label": name }, content);
}

function readingTable(rows, lineage) {
  const head = ["Word", "Surprisal (bits)", "Standard error", "Syntactic", "Lexical", "Entropy", "Unknown"];
  if (lineage.length) head.push("Likeliest analyses");
  const fine = (value) => (value === null || value === undefined ? "–" : value.toFixed(2));
  const figures = (row) => [row.surprisal, row.mc_se, row.surprisal_syn, row.surprisal_lex, row.entropy];
  const best = (step) => step.ranked.slice(0, 3).map((node) => percent(node.live.probability)).join(", ");
  return h("table", { class: "figures-table" },
    h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, rows.map((row, i) => h("tr", {},
      h("th", { scope: "row", dir: "auto" }, shownToken(row.token)),
      figures(row).map((value) => h("td", {}, fine(value))),
      h("td", {}, row.oov ? "yes" : ""),
      lineage[i] && h("td", {}, best(lineage[i]))))));
}
