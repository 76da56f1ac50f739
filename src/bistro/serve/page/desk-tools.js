// The line above the desk: the file, saving, undo and redo, how far one is; and the order of the list.

import { orderSelect } from "./desk-list.js";
import { h, replace } from "./dom.js";

export function makeTools(file, { undo, redo, save, download, sort }) {
  const button = (name, act, title) => h("button", { type: "button", title, onclick: act }, name);
  const undoButton = button("Undo", undo, "u or Ctrl-Z");
  const redoButton = button("Redo", redo, "r or Ctrl-Y");
  const saveButton = button("Save", save, "Ctrl-S");
  saveButton.classList.add("save");
  const state = h("span", { class: "note state" });
  replace(document.getElementById("tools"), h("strong", { class: "file" }, file), saveButton, undoButton, redoButton,
    button("Download", download, "The file with all decisions"), state);
  return { undoButton, redoButton, saveButton, state, sorter: orderSelect(sort) };
}
