// The sentence on the desk: its tree, the chosen word, and what keys and buttons do to them.

import { Board } from "./desk-board.js";
import { Dialogs, isOpen } from "./desk-dialogs.js";
import { Panel, headName } from "./desk-panel.js";
import { announce, h, replace } from "./dom.js";
import { describeWord } from "./describe.js";
import { count, percent } from "./text.js";

const WAIT = 150;
const AIMING =
  "Choose the head: arrows, Tab for likely ones, 0 for the root, then Enter; or click it. Escape cancels.";

export class Sheet extends Dialogs {
  constructor({ decide, ask, next }) {
    super();
    this.decide = decide;
    this.ask = ask;
    this.next = next;
    this.word = 0;
    this.findings = [];
    this.target = null;
    this.title = h("h2", {});
    this.text = h("p", { class: "text", dir: "auto" });
    this.told = h("p", { class: "note", id: "board-help" });
    this.board = new Board({
      onselect: (word) => this.choose(word),
      onhead: (word, head) => this.set(word, { heads: head }),
    });
    this.panel = new Panel({
      onset: (name, value) => this.set(this.word, { [name]: value }),
      onedit: (name) => this.edit(name),
      onact: (name) => this.act(name),
    });
    const confirm = h("button", { type: "button", class: "main", onclick: () => this.act("confirm") }, "Confirm (c)");
    this.found = h("ul", { class: "found-list", "aria-label": "Findings of the doctor" });
    this.element = h("section", { class: "sheet" },
      h("div", { class: "bar-of-tools" }, this.title, confirm), this.text, this.board.element, this.told, this.found,
      this.panel.element);
  }

  show(shown, { fresh = false } = {}) {
    const before = this.shown;
    this.shown = shown;
    const { columns, suggestion } = shown;
    this.size = columns.forms.length;
    this.column = this.names.tag_column;
    const isNew = fresh || before?.sentence !== shown.sentence;
    if (isNew || before.version !== shown.version) Object.assign(this, { findings: [], asked: null });
    if (isNew) this.word = this.firstOpen() ?? 0;
    this.word = Math.min(this.word, this.size - 1);
    this.target = null;
    this.panel.edit(null);
    const number = String(shown.sentence + 1);
    replace(this.title, number, number !== shown.sent_id && h("bdi", { class: "note" }, ` ${shown.sent_id}`));
    this.text.textContent = shown.text;
    this.told.textContent = this.tellState(shown, suggestion);
    this.draw();
    this.board.element.dataset.version = shown.version;
    if (isNew) announce(`Sentence ${shown.sentence + 1}, ${this.size} words, ${shown.state}.`);
    this.later();
  }

  // What was just decided, before the server has answered.
  expect({ set = {}, word = this.word }) {
    clearTimeout(this.timer);
    const { columns, suggestion } = this.shown;
    for (const [number, values] of Object.entries(set)) {
      for (const [name, value] of Object.entries(values)) {
        const open = isOpen(name, value);
        columns[name][number - 1] = value;
        if (suggestion[name] && !open) suggestion[name][number - 1] = value;
        if (suggestion.sure[name] && !open) suggestion.sure[name][number - 1] = null;
      }
    }
    this.word = Math.min(word, this.size - 1);
    queueMicrotask(() => this.draw()); // when the request is on its way
  }

  draw() {
    const { sure } = this.shown.suggestion;
    const given = (name, word) => sure[name]?.[word] === null || sure[name]?.[word] === undefined;
    const marks = this.shown.columns.forms.map((_, word) => ({
      head: !given("heads", word), tag: !given(this.column, word), finding: this.tellFinding(word),
    }));
    this.board.show(this.tree(), marks);
    this.drawFindings();
    this.choose(this.word, { quiet: true });
  }

  drawFindings() {
    const { forms } = this.shown.columns;
    this.board.drawFindings(this.findings.filter(({ what }) => what === "head").map((one) => ({
      word: one.word - 1, head: one.values.heads, share: one.alternative_probability,
    })));
    replace(this.found, this.findings.map((one) => h("li", {}, h("button", {
      type: "button", class: "found", onclick: () => this.set(one.word - 1, one.values),
    }, h("bdi", {}, forms[one.word - 1]), `: ${this.tellOwn(one)} (${percent(one.probability)}) → `,
    this.tellFinding(one.word - 1, one)))));
    this.found.hidden = !this.findings.length;
  }

  choose(word, { quiet = false } = {}) {
    if (this.target !== null && !quiet) return this.takeHead(word + 1);
    this.word = Math.min(this.size - 1, Math.max(0, word));
    this.board.select(this.word, { target: this.target });
    this.panel.show({
      number: this.word + 1, form: this.shown.columns.forms[this.word], fields: this.fieldsOf(this.word),
      finding: this.tellFinding(this.word), words: this.shown.columns.forms,
    });
    if (!quiet) {
      announce(describeWord(this.tree(), this.word));
      this.later();
    }
    return true;
  }

  // Alternatives of what is decided, and findings, are asked for when the annotator rests.
  later() {
    clearTimeout(this.timer);
    const { sentence, version } = this.shown;
    const { word } = this;
    this.timer = setTimeout(async () => {
      const isHere = () => this.shown.sentence === sentence && this.shown.version === version;
      try {
        const asked = await this.ask("word", { word: word + 1 });
        if (isHere() && this.word === word && !this.panel.isEditing) {
          this.asked = asked;
          this.choose(word, { quiet: true });
        }
        if (!isHere() || this.openWords().length || this.findings.at === version) return;
        const { findings } = await this.ask("findings", {});
        if (!isHere()) return;
        this.findings = Object.assign(findings, { at: version });
        this.draw();
        const number = count(findings.length, "finding");
        if (findings.length) announce(`The doctor has ${number}: press a to accept the first, or the one at the word.`);
      } catch { /* The next request tells what is wrong. */ }
    }, WAIT);
  }

  set(word, values) {
    this.word = word;
    return this.decide({ set: { [word + 1]: values }, word });
  }

  // Runs what a key or a button means; returns whether it meant anything here.
  act(name) {
    if (!this.shown) return false;
    if (this.target !== null) return this.actOnTarget(name);
    const forward = this.board.rtl ? -1 : 1;
    const acts = {
      right: () => this.choose(this.word + forward), left: () => this.choose(this.word - forward),
      first: () => this.choose(0), last: () => this.choose(this.size - 1),
      head: () => this.choose(Math.max(0, this.tree().heads[this.word] - 1)),
      dependent: () => this.choose(Math.max(0, this.tree().heads.indexOf(this.word + 1))),
      accept: () => this.accept(), confirm: () => this.confirm(), finding: () => this.acceptFinding(),
      "choose-head": () => this.aim(), deprels: () => this.edit("deprels"), tag: () => this.edit(this.column),
      "other-tag": () => this.edit(this.column === "upos" ? "xpos" : "upos"), feats: () => this.edit("feats"),
      lemmas: () => this.edit("lemmas"), split: () => this.split(), join: () => this.join(),
      open: () => this.set(this.word, { heads: -1, deprels: "_" }), reopen: () => this.decide({ done: false }),
    };
    if (!acts[name]) return false;
    acts[name]();
    return true;
  }

  accept() {
    const open = this.openFields(this.word);
    if (!open.length) {
      const next = this.firstOpen(this.word);
      return next === null ? this.confirm() : this.choose(next);
    }
    const values = Object.fromEntries(open.map((name) => [name, this.shown.suggestion[name][this.word]]));
    const rest = this.openWords().filter((word) => word !== this.word);
    const next = rest.find((word) => word > this.word) ?? rest[0] ?? this.word;
    return this.decide({ set: { [this.word + 1]: values }, word: next });
  }

  async confirm() {
    const { suggestion } = this.shown;
    const set = Object.fromEntries(this.openWords().map((word) => [word + 1,
      Object.fromEntries(this.openFields(word).map((name) => [name, suggestion[name][word]]))]));
    if (await this.decide({ set, done: true })) {
      announce("Confirmed.");
      this.next();
    }
  }

  acceptFinding() {
    const one = this.findingAt(this.word) ?? this.findings[0];
    if (one) this.set(one.word - 1, one.values);
    else announce("The doctor has no finding in this sentence.");
  }

  // Choosing a head: a second cursor, until Enter, a click or Escape.
  aim() {
    this.target = this.tree().heads[this.word];
    this.board.select(this.word, { target: this.target });
    this.told.textContent = AIMING;
    this.board.element.focus();
    announce(`Head of ${this.shown.columns.forms[this.word]}: ${headName(this.shown.columns.forms, this.target)}.`);
  }

  actOnTarget(name) {
    const forward = this.board.rtl ? -1 : 1;
    const likely = (this.fieldsOf(this.word).heads.options ?? []).map(([head]) => head);
    const after = likely[(likely.indexOf(this.target) + 1) % Math.max(1, likely.length)];
    const acts = {
      right: this.target + forward, left: this.target - forward, first: 1, last: this.size, root: 0, likely: after,
    };
    if (name === "accept") this.takeHead(this.target);
    else if (name === "cancel") this.show(this.shown);
    else if (name in acts) {
      this.target = Math.min(this.size, Math.max(0, acts[name] ?? this.target));
      this.board.select(this.word, { target: this.target });
      announce(headName(this.shown.columns.forms, this.target));
    } else return false;
    return true;
  }

  takeHead(head) {
    this.target = null;
    if (head === this.word + 1) return this.show(this.shown);
    return this.set(this.word, { heads: head });
  }

  join() {
    if (this.word + 1 < this.size) this.decide({ join: [this.word + 1, this.word + 2], word: this.word });
    else announce("There is no next word.");
  }
}
