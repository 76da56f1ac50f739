// What is written about a word: a value of a column, or where to split it.

import { chooser } from "./desk-chooser.js";
import { TITLES } from "./desk-panel.js";
import { SentenceView } from "./desk-view.js";

const HINT =
  "Put a space where the word is to be split. If the parts have other letters, " +
  "they become the words of a multiword token.";

export const isOpen = (name, value) => value === (name === "heads" ? -1 : "_");

export class Dialogs extends SentenceView {
  back() {
    this.panel.edit(null);
    this.board.element.focus();
  }

  edit(name) {
    if (name === "heads") return this.aim();
    const field = this.fieldsOf(this.word)[name];
    const known = name === "deprels" ? this.names.labels : name === this.column ? this.names.tags : [];
    const listed = field.options.map(([value]) => value);
    const options = [...field.options, ...known.filter((one) => !listed.includes(one)).map((one) => [one, null])];
    const word = this.word;
    return this.openChooser({
      title: `${TITLES[name]} of “${this.shown.columns.forms[word]}”`, options,
      initial: isOpen(name, field.value) ? "" : field.value,
      onchoose: (value) => {
        this.back();
        this.set(word, { [name]: value });
      },
    });
  }

  openChooser(options) {
    const field = chooser({ ...options, oncancel: () => this.back() });
    this.panel.edit(field.element);
    field.focus();
  }

  split() {
    const word = this.word;
    const form = this.shown.columns.forms[word];
    this.openChooser({
      title: `Split “${form}”`, options: [], initial: form,
      hint: HINT,
      onchoose: (value) => {
        const forms = value.split(/\s+/u);
        if (forms.length < 2) return;
        const inside = this.shown.multiword.some(([first, last]) => first <= word + 1 && word + 1 <= last);
        this.back();
        this.decide({ split: { word: word + 1, forms, multiword: !inside && forms.join("") !== form }, word });
      },
    });
  }
}
