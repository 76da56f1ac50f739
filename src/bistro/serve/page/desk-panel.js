// The values of the chosen word: what is decided, what is suggested, and the alternatives, each a click away.

import { h, replace } from "./dom.js";
import { isolate, percent } from "./text.js";

const MOST = 5;
export const TITLES = {
  heads: "Head", deprels: "Relation", upos: "UPOS", xpos: "XPOS", feats: "Features", lemmas: "Lemma",
};
export const ACTIONS = {
  heads: "choose-head", deprels: "deprels", feats: "feats", lemmas: "lemmas",
};

export class Panel {
  constructor({ onset, onedit, onact }) {
    this.onset = onset;
    this.onedit = onedit;
    this.onact = onact;
    this.title = h("h3", { dir: "auto" });
    this.body = h("dl", { class: "fields" });
    this.place = h("div", { class: "place" });
    this.tools = h("div", { class: "actions" });
    this.element = h("section", { class: "panel", "aria-label": "The chosen word" }, this.title, this.place, this.body,
      this.tools);
  }

  // `fields` by column: {value, shown, share (null if decided), options: [[value, share]]}.
  show({ number, form, fields, finding, words }) {
    this.title.textContent = `${number} · ${form}`;
    const named = (name, value) => (name === "heads" ? headName(words, value) : value === "_" ? "–" : value);
    replace(this.body, Object.entries(fields).map(([name, field]) => [
      h("dt", {}, h("button", {
        type: "button", class: "quiet", "aria-label": `Change ${TITLES[name]}`, onclick: () => this.onedit(name),
      }, TITLES[name])),
      h("dd", {},
        h("span", { class: field.share === null ? "value" : "value suggested" }, named(name, field.value),
          field.share !== null && ` ${percent(field.share)}`, field.share === null && tellOwn(field)),
        h("span", { class: "options" }, field.options.filter((option) => isWorthIt(option, field.value)).slice(0, MOST)
          .map(([value, share]) => h("button", { type: "button", onclick: () => this.onset(name, value) },
            named(name, value), share !== null && h("span", { class: "figure" }, ` ${percent(share)}`))))),
    ]));
    const button = (name, label, kind = null) =>
      h("button", { type: "button", class: kind, onclick: () => this.onact(name) }, label);
    replace(this.tools,
      finding && button("finding", `Accept finding (a): ${finding}`, "found"),
      button("accept", "Accept (Enter)"), button("split", "Split (s)"), button("join", "Join with next (j)"),
      button("open", "Open again (o)"));
  }

  // Something to write in, instead of the values.
  edit(content) {
    replace(this.place, content);
    this.body.hidden = this.tools.hidden = Boolean(content);
  }

  get isEditing() {
    return this.body.hidden;
  }
}

// How likely the model finds a value that is decided, given everything else.
function tellOwn({ value, options }) {
  if (!options.length || options[0][1] === null) return null;
  const share = options.find(([one]) => one === value)?.[1] ?? 0;
  const title = "probability under the model, given everything else";
  return h("span", { class: "note", title }, ` ${percent(share)}`);
}

function isWorthIt([value, share], own) {
  return value !== own && (share === null || share >= 0.0005);
}

export function headName(words, head) {
  if (head < 0) return "none";
  return head === 0 ? "root" : `${isolate(words[head - 1])} (${head})`;
}
