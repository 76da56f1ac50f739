// The best trees of a sentence: a list to choose from, and the chosen one drawn with its probabilities.

import { announce, h, massBar, replace, uniqueId } from "./dom.js";
import { describeTree, shortArc } from "./describe.js";
import { conllu, exportButtons } from "./export.js";
import { isolate, percent } from "./text.js";
import { treeView } from "./treeview.js";

const ABOUT_FIGURES =
  "Point at a word, tap it, or use the arrow keys to see its other heads, relations and tags. Probabilities below " +
  "99.5% are shown: of the relation on the arc, of the tag and (↷) of the head under the word. They are sums " +
  "over all trees at the temperature given below, which makes them calibrated. The shares in the list, and of " +
  "the analyses above, are the model’s own probabilities of whole trees.";

export class Trees {
  constructor(answer, { tagColumn, onchoose }) {
    this.answer = answer;
    this.tagColumn = tagColumn;
    this.onchoose = onchoose;
    this.box = h("div", { class: "canvas", tabindex: "-1" });
    this.told = h("p", {});
    this.element = this.build();
  }

  build() {
    const { analyses, protocol } = this.answer;
    const group = uniqueId("tree");
    const choose = (number) => () => this.show(number, true);
    this.radios = analyses.map((_, i) =>
      h("input", { type: "radio", name: group, value: i + 1, onchange: choose(i + 1) }));
    const items = analyses.map((analysis, i) => h("li", {}, this.candidate(analysis, i)));
    const title = analyses.length > 1 ? `The ${analyses.length} best` : "The best";
    const file = { name: "CoNLL-U", file: "tree.conllu", type: "text/plain", content: () => this.conllu() };
    return h("section", { class: "trees" },
      h("div", { class: "bar-of-tools" }, h("h2", {}, "Trees"), exportButtons("tree", () => this.picture, [file])),
      h("div", { class: "tree-and-list" },
        h("fieldset", { class: "candidates" }, h("legend", {}, title), h("ol", {}, items)),
        h("figure", {}, this.box, h("figcaption", { class: "note" }, ABOUT_FIGURES))),
      h("details", {}, h("summary", {}, "As text"), this.told),
      h("p", { class: "protocol" }, protocol));
  }

  candidate(analysis, i) {
    const { analyses, words } = this.answer;
    const { posterior } = analysis;
    const text = i === 0 ? tellFirst(analysis) : tellDifference(analysis, analyses[0], words);
    return h("label", { class: "candidate", vars: { share: posterior ?? 0 } },
      this.radios[i],
      posterior !== null && [h("span", { class: "share" }, percent(posterior)), massBar()],
      h("span", { class: "difference" }, text));
  }

  show(number, byUser = false) {
    this.chosen = Math.min(this.answer.analyses.length, Math.max(1, number));
    const analysis = this.answer.analyses[this.chosen - 1];
    this.radios[this.chosen - 1].checked = true;
    const { picture, tree } = treeView(analysis, this.answer.words, this.answer.marginals);
    this.picture = picture;
    replace(this.box, picture);
    this.told.textContent = describeTree(tree);
    if (!byUser) return;
    announce(`Tree ${this.chosen}: ${describeTree(tree)}`);
    this.onchoose(this.chosen);
  }

  get tree() {
    return { words: this.answer.words, ...this.answer.analyses[this.chosen - 1] };
  }

  conllu() {
    if (this.chosen === 1) return this.answer.conllu;
    return conllu(this.answer.conllu, this.answer.analyses[this.chosen - 1], this.tagColumn);
  }
}

function tellFirst(analysis) {
  const right = percent(analysis.expected_uas);
  return right ? `best guess; about ${right} of heads expected to be correct` : "best guess";
}

function tellDifference(analysis, best, words) {
  const changed = words.map((word, i) => {
    const head = analysis.heads[i];
    if (head !== best.heads[i]) return shortArc(words, i, head);
    if (analysis.labels && analysis.labels[i] !== best.labels[i]) return `${isolate(word)}: ${analysis.labels[i]}`;
    return analysis.tags && analysis.tags[i] !== best.tags[i] ? `${isolate(word)}: ${analysis.tags[i]}` : null;
  }).filter(Boolean);
  const more = changed.length > 3 ? ` and ${changed.length - 3} more` : "";
  return changed.slice(0, 3).join(", ") + more;
}
