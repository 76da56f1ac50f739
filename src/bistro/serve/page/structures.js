// Phrases of a sentence, drawn by the server, and the states of a model with their words.

import { h } from "./dom.js";
import { save } from "./export.js";
import { percent } from "./text.js";

const ABOUT_STATES =
  "What the model has learned, whatever the sentence: its largest states, their share of the training data, and " +
  "their likeliest words.";

export function phrasesView({ words, brackets, svg, found, log_prob: logProb }) {
  const src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  const image = h("img", { alt: `Constituency tree: ${brackets}`, src });
  const button = (name, act) =>
    h("button", { type: "button", class: "quiet", "aria-label": `Save as ${name}`, onclick: act }, name);
  const note = [logProb !== null && `ln p = ${logProb.toFixed(2)}`,
    !found && "the grammar has no tree for these words: they are put side by side"].filter(Boolean).join("; ");
  return h("section", { class: "phrases" },
    h("div", { class: "bar-of-tools" }, h("h2", {}, "Phrases"),
      h("div", { class: "exports", role: "group", "aria-label": "Save" },
        h("span", { class: "note", "aria-hidden": "true" }, "Save"),
        button("SVG", () => save("phrases.svg", svg, "image/svg+xml")),
        button("brackets", () => save("phrases.mrg", `${brackets}\n`, "text/plain")))),
    h("div", { class: "canvas", tabindex: "0", role: "group", "aria-label": `Phrases of: ${words.join(" ")}` }, image),
    h("details", {}, h("summary", {}, "As text"), h("p", {}, brackets)),
    h("p", { class: "protocol" }, note));
}

export function statesView({ states }) {
  const shown = ({ name, share, words }) => h("tr", {},
    h("th", { scope: "row" }, name), h("td", {}, percent(share)),
    h("td", { class: "words" }, words.map(([word]) => word).join(" ")));
  return h("section", { class: "states" },
    h("h2", {}, "States"),
    h("p", { class: "note" }, ABOUT_STATES),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "States of the model" },
      h("table", {},
        h("thead", {}, h("tr", {}, ["State", "Share", "Words"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, states.map(shown)))));
}
