// Which file is on the desk: the one of the address, the only one, or one that is dragged here.

import { post } from "./api.js";
import { errorNote, h, replace } from "./dom.js";

const PIECE = 200_000;

export async function openedFiles(about) {
  const wanted = new URLSearchParams(location.hash.slice(1)).get("file");
  const file = about.files.includes(wanted) ? wanted : about.files.length === 1 && about.files[0];
  if (about.takes_files) takeDrops((name) => show(name));
  return file || choose(about);
}

function show(name) {
  location.hash = `#${new URLSearchParams({ file: name })}`;
  location.reload();
}

function choose(about) {
  return new Promise((resolve) => {
    const pick = (name, isOpen) => async () => {
      if (!isOpen) await post("api/desk/open", { name, text: "", first: true, last: true });
      replace(document.getElementById("main"));
      resolve(name);
    };
    const item = (isOpen) => (name) =>
      h("li", {}, h("button", { type: "button", onclick: pick(name, isOpen) }, name));
    const input = h("input", {
      type: "file", accept: ".conllu", "aria-label": "A CoNLL-U file",
      onchange: (event) => event.target.files[0] && bring(event.target.files[0], show),
    });
    replace(document.getElementById("main"), h("section", { class: "choose" },
      h("h2", {}, "Which file?"),
      h("ul", {}, about.files.map(item(true)), about.waiting.map(item(false))),
      about.takes_files && h("p", {}, "Drag a CoNLL-U file here, or choose one: ", input),
      about.takes_files && h("p", { class: "note" },
        "A copy is kept in the folder that the server was started with; Download gives it back.")));
  });
}

function takeDrops(onopen) {
  const over = (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    document.body.classList.toggle("dropping", event.type === "dragover");
  };
  for (const name of ["dragover", "dragleave"]) document.addEventListener(name, over);
  document.addEventListener("drop", (event) => {
    over(event);
    const [file] = event.dataTransfer.files;
    if (file) bring(file, onopen);
  });
}

// Sends a file in pieces: a request of a server has a limit.
async function bring(file, onopen) {
  const messages = document.getElementById("messages");
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const text = decoder.decode(await file.arrayBuffer());
    let name = "";
    for (let at = 0; at === 0 || at < text.length;) {
      let end = Math.min(text.length, at + PIECE);
      if (/[\ud800-\udbff]/.test(text[end - 1] ?? "") && end < text.length) end += 1;
      const body = { name: file.name, text: text.slice(at, end), first: at === 0, last: end >= text.length };
      name = (await post("api/desk/open", body)).file;
      at = end || 1;
    }
    onopen(name);
  } catch (error) {
    const message = error instanceof TypeError ? `${file.name} is not in UTF-8.` : error.message;
    replace(messages, errorNote(message));
  }
}
