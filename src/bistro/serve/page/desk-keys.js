// The keys of the desk. They act when the focus is on the tree, the list or nothing; not while one writes in a field.

import { h } from "./dom.js";

const KEYS = [
  [["←", "→"], "go to the next word in this direction on the screen"],
  [["↑", "↓"], "go to the head of the word; to its first dependent"],
  [["Enter"],
    "accept the suggestions for the word and go to the next open word; in a sentence without open words, confirm it"],
  [["c"], "confirm the sentence: accept all suggestions, and go to the next sentence"],
  [["a"], "accept the doctor’s finding at the word"],
  [["h"], "choose the head: arrows move, Tab goes to the next likely head, 0 is the root, Enter selects it"],
  [["l"], "relation"], [["t"], "tag"], [["x"], "the other column of tags"], [["f"], "features"], [["m"], "lemma"],
  [["s"], "split the word"], [["j"], "join the word with the next one"],
  [["o"], "open the word again: forget its head and relation"],
  [["d"], "mark a confirmed sentence as not done"],
  [["u", "Ctrl-Z"], "undo"], [["r", "Ctrl-Y"], "redo"],
  [["n", "p"], "next and previous sentence that is not confirmed"],
  [["Ctrl-S"], "save the file"], [["?"], "this list"],
];

const NAMES = {
  ArrowLeft: "left", ArrowRight: "right", ArrowUp: "head", ArrowDown: "dependent", Home: "first", End: "last",
  Enter: "accept", c: "confirm", a: "finding", h: "choose-head", l: "deprels", t: "tag", x: "other-tag", f: "feats",
  m: "lemmas", s: "split", j: "join", o: "open", d: "reopen", u: "undo", r: "redo", n: "next", p: "previous",
  "?": "keys", Escape: "cancel", Tab: "likely", 0: "root",
};
const WITH_CONTROL = { z: "undo", y: "redo", Z: "redo", s: "save" };

function isWriting(target) {
  return target.closest?.("input, select, textarea, dialog, [role=combobox]");
}

export function keyOf(event) {
  if (event.defaultPrevented || event.isComposing) return null;
  if (event.ctrlKey || event.metaKey) return event.altKey ? null : WITH_CONTROL[event.key] ?? null;
  if (event.altKey || isWriting(event.target)) return null;
  const onButton = event.target.closest?.("button, summary, a");
  if (onButton && (event.key === "Enter" || event.key === " ")) return null;
  const inList = event.target.closest?.("[role=listbox]");
  if (inList && (event.key.startsWith("Arrow") || ["Home", "End", "Enter", "Tab"].includes(event.key))) return null;
  return NAMES[event.key] ?? null;
}

export function keyTable() {
  const rows = KEYS.map(([keys, meaning]) =>
    h("tr", {}, h("th", { scope: "row" }, keys.map((key) => h("kbd", {}, key))), h("td", {}, meaning)));
  return h("details", { id: "keys", class: "keys" }, h("summary", {}, "Keys (?)"),
    h("table", {}, h("tbody", {}, rows)));
}
