// The desk: a list of sentences, the tree of one of them, and decisions about it.

import { ApiError, post, request } from "./api.js";
import { pause, persist } from "./desk-connection.js";
import { curveView } from "./desk-curve.js";
import { openedFiles } from "./desk-files.js";
import { keyOf, keyTable } from "./desk-keys.js";
import { SentenceList } from "./desk-list.js";
import { Sheet } from "./desk-sheet.js";
import { makeTools } from "./desk-tools.js";
import { announce, errorNote, h, replace } from "./dom.js";

const POLL = 2000;
class Desk {
  constructor(file) {
    this.file = file;
    this.order = [];
    this.current = -1;
    this.waiting = Promise.resolve();
    this.pending = 0;
    this.list = new SentenceList(document.getElementById("list"), (place) => this.open(place));
    this.sheet = new Sheet({
      decide: (change) => this.decide(change),
      ask: (name, body) => this.ask(name, { sentence: this.current, ...body }),
      next: () => this.step(1),
    });
    this.curve = h("section", { class: "progress", "aria-label": "Progress" });
    replace(document.getElementById("main"), this.sheet.element, this.curve, keyTable());
    Object.assign(this, makeTools(this.file, {
      undo: () => this.turn("undo"), redo: () => this.turn("redo"), save: () => this.save(),
      sort: () => this.sort(),
    }));
    this.list.head.append(h("label", { class: "choice" }, "Order", this.sorter));
    document.addEventListener("keydown", (event) => this.onkey(event));
    window.addEventListener("hashchange", () => this.openAddress());
  }

  ask(name, body = {}) {
    return post(`api/desk/${name}`, { file: this.file, ...body });
  }

  async start() {
    await this.loadList();
    await this.openAddress();
    this.poll();
  }

  async loadList() {
    const answer = await this.ask("list");
    this.rows = answer.rows;
    this.names = answer.names;
    this.sheet.names = answer.names;
    this.order = this.rows.map((_, place) => place);
    this.list.show(this.rows, this.order);
    this.tell(answer);
    if (this.sorter.value !== "file") await this.sort();
  }

  async openAddress() {
    const wanted = Number.parseInt(new URLSearchParams(location.hash.slice(1)).get("sentence"), 10);
    const place = wanted >= 1 && wanted <= this.rows.length ? wanted - 1 : Math.max(0, this.current);
    if (place !== this.current) await this.open(place);
  }

  async open(place) {
    this.current = place;
    this.list.select(place);
    history.replaceState(null, "", `#${new URLSearchParams({ file: this.file, sentence: place + 1 })}`);
    const shown = await this.try(() => this.ask("show", { sentence: place }));
    if (shown && place === this.current) this.sheet.show(shown, { fresh: true });
  }

  tell(status) {
    const swapped = this.status && status.model.number !== this.status.model.number;
    const learned = status.learning.lessons.length > (this.status?.learning.lessons.length ?? 0);
    this.status = status;
    this.undoButton.disabled = !status.undo;
    this.redoButton.disabled = !status.redo;
    this.saveButton.disabled = !status.unsaved;
    const kept = status.unsaved ? `${status.unsaved} not saved (all in the journal)` : "all saved";
    this.state.textContent = `${status.done} of ${status.sentences} confirmed · ${kept}`;
    document.title = `${status.unsaved ? "• " : ""}${this.file} – Desk – Bistro`;
    const learning = JSON.stringify([status.learning, status.model, status.done]);
    if (learning !== this.learning) replace(this.curve, curveView(status));
    this.learning = learning;
    const rejected = "A new model was trained, but is not better: the current model stays.";
    if (learned) announce(swapped ? "A new model is in use." : rejected);
    if (swapped) this.sort();
  }

  // Decisions wait for each other. What was decided is shown at once, and the answer brings the new suggestions;
  // those of a decision that others follow already are not shown.
  decide(change) {
    const place = this.current;
    this.pending += 1;
    const act = () => this.decideNow(place, change).finally(() => { this.pending -= 1; });
    this.waiting = this.waiting.then(act, act);
    this.sheet.expect(change);
    return this.waiting;
  }

  async decideNow(place, change) {
    const version = this.rows[place][5];
    const { word, ...wanted } = change; // `word` is where to go
    const answer = await this.try(() => this.ask("decide", { sentence: place, version, ...wanted }), {
      // The server went away: was the decision made? Its version tells.
      again: async () => (await this.ask("show", { sentence: place })).version === version,
    });
    if (answer) this.took(answer, this.current === place && this.pending === 1);
    return Boolean(answer);
  }

  took({ shown, status }, isShown) {
    const { sentence } = shown;
    this.rows[sentence][3] = shown.state;
    this.rows[sentence][5] = shown.version;
    this.list.refresh(sentence);
    if (isShown) {
      this.sheet.show(shown);
      if (this.current !== sentence) this.list.select(sentence);
      this.current = sentence;
    }
    this.tell(status);
  }

  turn(name) {
    const act = async () => {
      const answer = await this.try(() => this.ask(name, { last: this.status.last }));
      if (answer) {
        this.took(answer, true);
        announce(`${name === "undo" ? "Undone" : "Redone"}, sentence ${answer.shown.sentence + 1}.`);
      }
    };
    this.waiting = this.waiting.then(act, act);
    return this.waiting;
  }

  async save(overwrite = false) {
    await this.waiting;
    try {
      this.tell(await this.ask("save", { overwrite }));
      announce("Saved.");
      this.say();
    } catch (error) {
      const anyway = h("button", { type: "button", onclick: () => this.save(true) }, "Save all the same");
      this.say(error.message, error.status === 409 && anyway);
    }
  }

  async sort() {
    const answer = await this.try(() => this.ask("order", { by: this.sorter.value }));
    if (!answer) return;
    this.order = answer.order;
    this.list.show(this.rows, this.order);
    this.list.select(this.current);
  }

  step(way) {
    const at = this.order.indexOf(this.current);
    const rest = way > 0 ? this.order.slice(at + 1) : this.order.slice(0, at).reverse();
    const next = rest.find((place) => this.rows[place][3] !== "done") ?? rest[0];
    if (next === undefined) announce("There is no further sentence.");
    else this.open(next);
  }

  // Runs a request. A server that is gone is waited for; `again` says whether to ask again then.
  try(act, { again = async () => true } = {}) {
    return persist(act, {
      again, say: (text) => this.say(text), refuse: (error) => this.refuse(error), reload: () => this.reload(),
    });
  }

  // What another window has done is shown, and said; what was shown too early is taken back.
  async refuse(error) {
    if (error.status === 409) await this.reload();
    else if (this.current >= 0) this.sheet.show(await this.ask("show", { sentence: this.current }));
    this.say(error.message);
    return null;
  }

  async reload() {
    this.say();
    await this.loadList();
    const place = Math.min(Math.max(0, this.current), this.rows.length - 1);
    const shown = await this.ask("show", { sentence: place });
    this.current = place;
    this.sheet.show(shown);
    this.list.select(place);
    return null;
  }

  async poll() {
    for (;;) {
      await pause(POLL);
      if (document.hidden) continue;
      try {
        await this.waiting;
        const answer = await this.ask("changes", { since: this.status.revision });
        if (Array.isArray(answer.rows)) await this.reload();
        else await this.update(answer);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }
  }

  async update(answer) {
    for (const [place, row] of Object.entries(answer.rows)) {
      this.rows[place] = row;
      this.list.refresh(Number(place));
    }
    this.tell(answer);
    const own = answer.rows[this.current];
    if (own && !this.pending && own[5] !== this.sheet.shown?.version) {
      await this.open(this.current);
      this.say("This sentence was changed in another window: its current version is shown.");
    }
  }

  say(text = "", ...more) {
    replace(document.getElementById("messages"), text && errorNote(text), more);
  }

  onkey(event) {
    const name = keyOf(event);
    if (name === "undo" || name === "redo") this.turn(name);
    else if (name === "save") this.save();
    else if (name === "next") this.step(1);
    else if (name === "previous") this.step(-1);
    else if (name === "keys") document.getElementById("keys").open ^= true;
    else if (!name || !this.sheet.act(name, event)) return;
    event.preventDefault();
  }
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.querySelector(".sheet .board")?.focus();
});

try {
  const about = await request("api/desk", {});
  const file = await openedFiles(about);
  await new Desk(file).start();
} catch (error) {
  replace(document.getElementById("messages"), errorNote(error.message));
  throw error;
}
