// The form: a model and a sentence, twice in a comparison, and examples to begin with.

import { h, replace } from "./dom.js";
import { examplesFor } from "./examples.js";

export class Composer {
  constructor(form, catalogue, { onread, oncompare }) {
    this.form = form;
    this.catalogue = catalogue;
    this.readers = catalogue.models.filter((model) => ["read", "surprisal", "parse"].some((name) => model.abilities.includes(name)));
    this.sides = [this.line("Sentence", ""), this.line("Second sentence", "2")];
    this.button = h("button", { type: "submit", class: "main" }, "Read");
    this.compare = h("button", { type: "button", class: "quiet", "aria-pressed": "false", onclick: () => oncompare(this.values()) }, "Compare two");
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
      onread({ ...this.values(), step: 0, tree: 1, step2: 0, tree2: 1 });
    });
    this.sides[0].model.addEventListener("change", () => this.showExamples());
  }

  line(name, tail) {
    const model = h("select", { name: `model${tail}`, "aria-label": tail ? "Second model" : "Model" },
      this.readers.map((one) => h("option", { value: one.id }, one.id)));
    const text = h("input", {
      type: "text", name: `text${tail}`, dir: "auto", "aria-label": name, placeholder: "Type a sentence", spellcheck: "false",
      maxlength: this.catalogue.limits.characters, enterkeyhint: "go", autocapitalize: "sentences",
    });
    return { model, text, element: h("div", { class: "line" }, model, text) };
  }

  values() {
    const [first, second] = this.sides;
    return {
      model: first.model.value, text: first.text.value.trim(), model2: second.model.value, text2: second.text.value.trim(),
      spaces: this.spaces.checked,
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
    const pick = (example) => {
      const compare = Boolean(example.text2);
      this.onread({ model: model.id, text: example.text, compare, model2: model.id, text2: example.text2 ?? "", spaces: Boolean(example.spaces), step: 0, tree: 1, step2: 0, tree2: 1 });
    };
    replace(this.chips, examples.map((example) => h("li", {},
      h("button", { type: "button", class: "chip", title: example.name, onclick: () => pick(example) },
        h("bdi", { dir: "auto" }, example.text), example.text2 && h("span", { class: "note" }, " ↔ ", h("bdi", { dir: "auto" }, example.text2))))));
  }
}
