// The words of the chosen tree in other orders, from a model of word order.

import { ask } from "./api.js";
import { errorNote, h, modelSelect, replace, sentenceButton } from "./dom.js";

export class Orders {
  constructor(models, { tree, onread }) {
    this.models = models;
    this.tree = tree;
    this.onread = onread;
    this.draws = 0;
    this.list = h("div", {});
    this.select = modelSelect("Model of word order", models);
    this.element = h("section", { class: "orders" },
      h("div", { class: "bar-of-tools" }, h("h2", {}, "Other orders"),
        models.length > 1 && this.select,
        h("button", { type: "button", onclick: () => this.load(false) }, "The most probable"),
        h("button", { type: "button", onclick: () => this.load(true) }, "Draw some")),
      this.list);
  }

  async load(samples) {
    const { words, heads, labels, tags } = this.tree();
    this.draws += samples ? 1 : 0;
    const body = { model: this.select.value, words, heads, labels, tags, n: 5, seed: Math.max(1, this.draws), samples };
    this.list.setAttribute("aria-busy", "true");
    try {
      this.show(await ask("linearize", body), words);
    } catch (error) {
      replace(this.list, errorNote(error.message));
    }
    this.list.removeAttribute("aria-busy");
  }

  show(answer, words) {
    const given = answer.given_log_prob;
    const items = answer.orders.map((one) => h("li", {},
      sentenceButton(marked(one), () => this.onread(one.words.join(" "))),
      one.log_prob !== null && h("span", { class: "note" }, `ln p = ${one.log_prob.toFixed(2)}`)));
    const note = given === null ? "" : `The order as given has ln p = ${given.toFixed(2)}. `;
    replace(this.list,
      h("ol", { class: "sentences" }, items),
      h("p", { class: "note" }, note, "Words that moved past others are marked."),
      h("p", { class: "protocol" }, answer.protocol));
  }

  clear() {
    replace(this.list);
  }
}

// Words outside a longest run that kept its order have moved.
function marked(one) {
  const kept = longestIncreasing(one.order);
  return one.words.flatMap((word, i) => [i ? " " : null, kept.has(i) ? word : h("mark", {}, word)]);
}

function longestIncreasing(values) {
  const best = values.map(() => ({ length: 1, before: -1 }));
  values.forEach((value, i) => {
    for (let j = 0; j < i; j += 1) {
      if (values[j] < value && best[j].length + 1 > best[i].length) best[i] = { length: best[j].length + 1, before: j };
    }
  });
  let place = best.reduce((top, one, i) => (top < 0 || one.length > best[top].length ? i : top), -1);
  const kept = new Set();
  for (; place >= 0; place = best[place].before) kept.add(place);
  return kept;
}
