// The form: a model and a sentence, twice in a comparison, and examples to begin with.

import { h, modelSelect, replace } from "./dom.js";
import { MADE_UP, examplesFor } from "./examples.js";
import { START } from "./state.js";

const READING = ["read", "surprisal", "parse", "phrases", "states"];

export class Composer {
  constructor(form, catalogue, { onread, oncompare }) {
    this.form = form;
    this.catalogue = catalogue;
    this.readers = catalogue.models.filter(({ abilities }) => READING.some((name) => abilities.includes(name)));
    this.sides = [this.line("Sentence", ""), this.line("Second sentence", "2")];
    this.button = h("button", { type: "submit", class: "main" }, "Read");
    const toggle = () => oncompare(this.values());
    const quiet = { type: "button", class: "quiet", "aria-pressed": "false" };
    this.compare = h("button", { ...quiet, onclick: toggle }, "Compare two");
    this.spaces = h("input", { type: "checkbox" });
    this.chips = h("ul", { class: "chips", "aria-label": "Examples" });
    this.onread = onread;
    this.sides[0].element.append(this.button);
    replace(form,
      this.sides.map((side) => side.element),
      h("div", { class: "actions" }, this.compare,
        h("label", { class: "choice" }, this.spaces, "Split at spaces only")),
      this.chips);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      onread({ ...this.values(), ...START });
    });
    this.sides[0].model.addEventListener("change", () => this.showExamples());
  }

  line(name, tail) {
    const model = modelSelect(tail ? "Second model" : "Model", this.readers, { name: `model${tail}` });
    const text = h("input", {
      type: "text", name: `text${tail}`, dir: "auto", "aria-label": name, placeholder: "Type a sentence",
      maxlength: this.catalogue.limits.characters, spellcheck: "false", enterkeyhint: "go",
    });
    return { model, text, element: h("div", { class: "line" }, model, text) };
  }

  values() {
    const [first, second] = this.sides;
    return {
      model: first.model.value, text: first.text.value.trim(), spaces: this.spaces.checked,
      model2: second.model.value, text2: second.text.value.trim(),
    };
  }

  show(state) {
    const [first, second] = this.sides;
    this.fill(first, state.model, state.text);
    this.fill(second, state.model2, state.text2);
    this.spaces.checked = state.spaces;
    second.element.hidden = !state.compare;
    this.compare.setAttribute("aria-pressed", String(state.compare));
    for (const side of this.sides) side.model.hidden = this.readers.length < 2;
    this.showExamples();
  }

  fill(side, model, text) {
    if (this.readers.some((one) => one.id === model)) side.model.value = model;
    side.text.value = text;
  }

  async showExamples() {
    const model = this.readers.find((one) => one.id === this.sides[0].model.value);
    const examples = model ? await examplesFor(model) : [];
    const isMadeUp = examples.some(({ name }) => name === MADE_UP);
    replace(this.chips,
      isMadeUp && h("li", { class: "note" }, `${MADE_UP}:`),
      examples.map((example) => h("li", {}, this.chip(example, model))));
  }

  chip({ name, text, text2 = "", spaces = false }, { id }) {
    const state = { model: id, text, model2: id, text2, compare: Boolean(text2), spaces, ...START };
    const sentence = (words) => h("bdi", { dir: "auto" }, words);
    return h("button", { type: "button", class: "chip", title: name, onclick: () => this.onread(state) },
      sentence(text), text2 && h("span", { class: "note" }, " ↔ ", sentence(text2)));
  }
}
