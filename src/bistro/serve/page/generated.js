// Sentences that the models make up; a click reads one.

import { ask } from "./api.js";
import { errorNote, h, modelSelect, replace, sentenceButton } from "./dom.js";

export class Generated {
  constructor(models, limits, onread) {
    this.limits = limits;
    this.onread = onread;
    this.seed = 0;
    this.select = modelSelect("Model that writes", models);
    this.prefix = h("input", {
      type: "text", dir: "auto", placeholder: "any", "aria-label": "Beginning of the sentences", maxlength: 200,
      spellcheck: "false",
    });
    this.warmth = h("input", {
      type: "range", min: 0.4, max: 1.6, step: 0.1, value: 1, "aria-label": "Temperature",
      oninput: () => this.tellWarmth(),
    });
    this.degrees = h("output", {});
    this.list = h("div", {});
    this.element = h("section", { class: "generated" },
      h("div", { class: "bar-of-tools" }, h("h2", {}, "Made-up sentences"), models.length > 1 && this.select,
        h("label", { class: "choice" }, "Beginning", this.prefix),
        h("label", { class: "choice" }, "Temperature", this.warmth, this.degrees),
        h("button", { type: "button", class: "make", onclick: () => this.load() }, "Make five")),
      this.list);
    this.tellWarmth();
  }

  tellWarmth() {
    this.degrees.textContent = Number(this.warmth.value).toFixed(1);
  }

  async load() {
    this.seed += 1;
    const body = {
      model: this.select.value, n: Math.min(5, this.limits.sentences), seed: this.seed,
      temperature: Number(this.warmth.value), prefix: this.prefix.value,
    };
    this.list.setAttribute("aria-busy", "true");
    try {
      const answer = await ask("generate", body);
      const texts = answer.sentences.map(({ words }) => words.join(" "));
      const items = texts.map((text) => h("li", {}, sentenceButton(text, () => this.onread(text, body.model))));
      replace(this.list, h("ol", { class: "sentences" }, items), h("p", { class: "protocol" }, answer.protocol));
    } catch (error) {
      replace(this.list, errorNote(error.message));
    }
    this.list.removeAttribute("aria-busy");
  }
}
