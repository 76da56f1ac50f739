// One sentence under one model: its reading, its trees, other orders of its words. Shows what the model can do.
// A text of several sentences is a list, of which one is shown.

import { ask } from "./api.js";
import { announce, errorNote, h, replace } from "./dom.js";
import { Orders } from "./orders.js";
import { Reading } from "./reading.js";
import { phrasesView, statesView } from "./structures.js";
import { Trees } from "./trees.js";

// The more analyses are told, the better lineages can be traced; long sentences would make long answers.
function followed(words) {
  return words.length > 40 ? 6 : 20;
}

function cannotRead({ id, abilities }) {
  const able = abilities.join(", ") || "nothing that this page shows";
  return `The model “${id}” can neither read nor parse a sentence (it can: ${able}): choose one of the list.`;
}

export class Pane {
  constructor(catalogue, hooks) {
    this.catalogue = catalogue;
    this.hooks = hooks; // onchange, onread, onsentence, onparts
    this.element = h("article", { class: "pane" });
    this.asked = "";
    this.reading = null;
    this.trees = null;
  }

  // Loads what is new and moves to the given step and tree; returns whether all went well.
  async show(side, parts) {
    const key = JSON.stringify([side.model, side.text, side.sentence, side.spaces]);
    const isNew = key !== this.asked;
    if (isNew && !(await this.load(side, key, parts))) return false;
    if (this.reading) {
      if (this.reading.parts !== parts) this.showParts(parts);
      this.reading.show(side.step || this.reading.last);
    }
    if (this.trees && this.trees.chosen !== (side.tree || 1)) this.trees.show(side.tree || 1);
    return true;
  }

  async load(side, key, parts) {
    this.abort?.abort();
    this.abort = new AbortController();
    const { signal } = this.abort;
    const model = this.catalogue.models.find((one) => one.id === side.model);
    this.clear();
    this.element.setAttribute("aria-busy", "true");
    replace(this.element, h("p", { class: "status" }, `${side.model} is reading …`));
    const can = (...names) => model && names.some((name) => model.abilities.includes(name));
    const { analyses } = this.catalogue.limits;
    try {
      if (!model) throw new Error(`There is no model “${side.model}” on this server: choose one of the list.`);
      if (!can("read", "surprisal", "parse", "phrases", "states")) throw new Error(cannotRead(model));
      const split = side.spaces ? { split: "spaces" } : {};
      const { sentences, words } = await ask("words", { model: side.model, text: side.text, ...split }, signal);
      const isList = !side.spaces && sentences.length > 1;
      const number = isList ? Math.min(side.sentence, sentences.length) : 0;
      const input = isList ? { words: sentences[number - 1] } : { text: side.text, ...split };
      const body = { model: side.model, ...input };
      const reading = { ...body, analyses: Math.min(followed(input.words ?? words), analyses) };
      const [read, parse, phrases, states] = await Promise.all([
        can("read", "surprisal") ? ask("read", reading, signal) : null,
        can("parse") ? ask("parse", { ...body, kbest: Math.min(5, analyses) }, signal) : null,
        can("phrases") ? ask("phrases", body, signal) : null,
        can("states") ? ask("states", { model: side.model }, signal) : null,
      ]);
      this.fill(model, read, parse, parts, { phrases, states });
      if (isList) this.element.prepend(this.list(sentences, number));
    } catch (error) {
      if (error.name === "AbortError") return false;
      this.element.removeAttribute("aria-busy");
      replace(this.element, errorNote(error.message));
      return false;
    }
    this.asked = key;
    this.element.removeAttribute("aria-busy");
    announce(`${side.model} has read the sentence.`);
    return true;
  }

  fill(model, read, parse, parts, others) {
    this.answer = read;
    if (read) this.reading = this.makeReading(read, parts);
    if (parse?.analyses.length) {
      this.trees = new Trees(parse, {
        tagColumn: model.tag_column,
        onchoose: (tree) => {
          this.orders?.clear();
          this.hooks.onchange({ tree });
        },
      });
    }
    const orderers = this.catalogue.models.filter((one) => one.abilities.includes("linearize"));
    if (this.trees && orderers.length) {
      this.orders = new Orders(orderers, { tree: () => this.trees.tree, onread: this.hooks.onread });
    }
    const words = (read ?? parse ?? others.phrases)?.words ?? [];
    replace(this.element,
      h("p", { class: "heard" },
        h("span", { class: "note" }, `${model.id}: `), h("bdi", { dir: "auto" }, words.join(" "))),
      this.reading?.element, this.trees?.element, this.orders?.element,
      others.phrases && phrasesView(others.phrases), others.states && statesView(others.states));
    this.trees?.show(1);
  }

  // All sentences of the text, to choose from.
  list(sentences, number) {
    const button = (words, i) => h("button", {
      type: "button", class: "chip", "aria-pressed": String(i + 1 === number),
      onclick: () => this.hooks.onsentence(i + 1),
    }, h("bdi", { dir: "auto" }, words.join(" ")));
    const items = sentences.map((words, i) => h("li", {}, button(words, i)));
    return h("ol", { class: "chips paragraph", "aria-label": "Sentences" }, items);
  }

  makeReading(read, parts) {
    return new Reading(read, { parts, onstep: (step) => this.hooks.onchange({ step }), onparts: this.hooks.onparts });
  }

  showParts(parts) {
    const old = this.reading;
    const { step } = old.player;
    const hadFocus = old.element.contains(document.activeElement);
    old.close();
    this.reading = this.makeReading(this.answer, parts);
    old.element.replaceWith(this.reading.element);
    this.reading.show(step);
    if (hadFocus) this.reading.element.querySelector(".parts")?.focus();
  }

  clear() {
    this.reading?.close();
    Object.assign(this, { reading: null, trees: null, orders: null, answer: null, asked: "" });
  }
}
