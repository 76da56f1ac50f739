// The page: what the address says is shown, and what is shown is said in the address.

import { getModels } from "./api.js";
import { comparison } from "./compare.js";
import { Composer } from "./composer.js";
import { errorNote, h, replace } from "./dom.js";
import { Generated } from "./generated.js";
import { Pane } from "./pane.js";
import { FIRST, readAddress, remember, sideOf, withSide } from "./state.js";

class App {
  constructor(catalogue) {
    this.catalogue = catalogue;
    this.composer = new Composer(document.getElementById("composer"), catalogue, {
      onread: (changes) => this.read(changes),
      oncompare: (values) => this.toggleCompare(values),
    });
    this.panes = [false, true].map((second) => new Pane(catalogue, {
      onchange: (changes) => this.note(withSide(this.state, second, changes)),
      onread: (text) => this.read({ ...withSide(this.state, second, { text, ...FIRST }), spaces: true }),
      onsentence: (sentence) => this.read(withSide(this.state, second, { sentence, step: 0, tree: 1 })),
      onparts: (parts) => this.showParts(parts),
    }));
    this.generated = this.makeGenerated();
    this.versus = h("div", {});
    this.both = h("div", { class: "panes" }, this.panes[0].element);
    this.main = document.getElementById("main");
    replace(this.main, this.hint(), this.versus, this.both, this.generated?.element);
    window.addEventListener("popstate", () => this.show(readAddress()));
    document.addEventListener("keydown", (event) => {
      if (event.target === document.body) this.panes[0].reading?.player.onkey(event);
    });
  }

  makeGenerated() {
    const writers = this.catalogue.models.filter((model) => model.abilities.includes("generate"));
    const read = (text, writer) => {
      const reads = this.composer.readers.some((model) => model.id === writer);
      this.read({ model: reads ? writer : this.state.model, text, spaces: true, compare: false, ...FIRST });
      document.getElementById("composer").scrollIntoView({ block: "start" });
    };
    return writers.length ? new Generated(writers, this.catalogue.limits, read) : null;
  }

  hint() {
    if (this.composer.readers.length) return null;
    return errorNote("None of the models of this server can read a sentence: serve a parser or a language model too.");
  }

  complete(state) {
    const first = this.composer.readers[0]?.id ?? "";
    return { ...state, model: state.model || first, model2: state.model2 || this.composer.readers[1]?.id || first };
  }

  read(changes) {
    const state = this.complete({ ...this.state, ...changes });
    if (!state.text && !state.text2) return this.composer.sides[0].text.focus();
    if (state.compare) Object.assign(state, { text: state.text || state.text2, text2: state.text2 || state.text });
    remember(state, true);
    return this.show(state);
  }

  note(state) {
    this.state = state;
    remember(state, false);
  }

  toggleCompare(values) {
    const compare = !this.state.compare;
    const state = { ...this.state, ...values, compare };
    if (compare && !state.text2) state.text2 = state.text;
    if (state.text) this.read(state);
    else this.show(state);
  }

  showParts(parts) {
    this.note({ ...this.state, parts });
    this.panes.forEach((pane, i) => pane.reading && pane.show(sideOf(this.state, i === 1), parts));
  }

  async show(given) {
    this.state = this.complete(given);
    const { state } = this;
    this.composer.show(state);
    document.title = state.text ? `${state.text} – Bistro` : "Bistro";
    document.body.classList.toggle("comparing", state.compare);
    replace(this.both, this.panes[0].element, state.compare && this.panes[1].element);
    if (!state.compare || !state.text) replace(this.versus);
    if (!state.text) {
      this.panes.forEach((pane) => {
        pane.clear();
        replace(pane.element);
      });
      return;
    }
    const shown = [this.panes[0].show(sideOf(state, false), state.parts)];
    if (state.compare) shown.push(this.panes[1].show(sideOf(state, true), state.parts));
    const went = await Promise.all(shown);
    if (this.state !== state && this.state.text !== state.text) return;
    const answers = this.panes.map((pane) => pane.answer);
    const comparable = state.compare && went.every(Boolean) && answers.every(Boolean);
    replace(this.versus, comparable && comparison(...answers));
  }
}

// The version of an installed model, and the beginning of its checksum.
function describeModel({ id, kind, version, sha256 }) {
  const facts = [kind, version, sha256 && `SHA-256 ${sha256.slice(0, 12)}…`];
  return `${id} (${facts.filter(Boolean).join(", ")})`;
}

function tellVersion({ version, models }) {
  const names = models.map(describeModel).join(", ");
  const link = h("a", { href: "docs" }, "the interface for programs");
  const play = h("a", { href: "play" }, "the Pitman-Yor playground");
  replace(document.getElementById("footer"), `Bistro ${version} · ${names} · `, link, " · ", play);
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});

try {
  const catalogue = await getModels();
  tellVersion(catalogue);
  await new App(catalogue).show(readAddress());
} catch (error) {
  replace(document.getElementById("main"), errorNote(error.message));
}
