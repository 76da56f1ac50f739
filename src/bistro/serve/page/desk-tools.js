// The line above the desk: the file, saving, undo and redo, how far one is; and the order of the list.

import { withKey } from "./api.js";
import { orderSelect } from "./desk-list.js";
import { h, replace } from "./dom.js";
import { save as keep } from "./export.js";

export function makeTools(file, { undo, redo, save, sort }) {
  const button = (name, act, title) => h("button", { type: "button", title, onclick: act }, name);
  const undoButton = button("Undo", undo, "u or Ctrl-Z");
  const redoButton = button("Redo", redo, "r or Ctrl-Y");
  const saveButton = button("Save", save, "Ctrl-S");
  saveButton.classList.add("save");
  const state = h("span", { class: "note state" });
  replace(document.getElementById("tools"), h("strong", { class: "file" }, file), saveButton, undoButton, redoButton,
    button("Download", () => download(file), "The file with all decisions"), state);
  return { undoButton, redoButton, saveButton, state, sorter: orderSelect(sort) };
}

// The very bytes: a text would lose a byte-order mark.
async function download(file) {
  const answer = await fetch("api/desk/text", withKey({
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ file }),
  }));
  keep(file, await answer.blob(), "text/plain");
}
