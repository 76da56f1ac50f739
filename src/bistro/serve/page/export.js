// Files to take away, made here in the browser: pictures that stand alone, tables, trees.

import { h } from "./dom.js";

const DRAWN = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linecap", "opacity",
  "font-weight", "text-decoration", "display",
];
const ONLY_HERE = ["class", "tabindex", "style", "aria-expanded", "aria-haspopup"];
const SHARPNESS = 2;

// Copies a picture with all that the style sheets say written into it.
export function standalone(picture) {
  const copy = picture.cloneNode(true);
  const originals = [picture, ...picture.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, i) => {
    const style = getComputedStyle(original);
    for (const name of DRAWN) copies[i].setAttribute(name, style.getPropertyValue(name));
    for (const name of ONLY_HERE) copies[i].removeAttribute(name);
    if (copies[i].getAttribute("role") === "button") copies[i].removeAttribute("role");
  });
  copy.querySelectorAll('[display="none"]').forEach((hidden) => hidden.remove());
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const box = picture.viewBox.baseVal;
  copy.setAttribute("width", box.width);
  copy.setAttribute("height", box.height);
  return new XMLSerializer().serializeToString(copy);
}

export async function png(picture) {
  const box = picture.viewBox.baseVal;
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([standalone(picture)], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = h("canvas", { width: Math.ceil(SHARPNESS * box.width), height: Math.ceil(SHARPNESS * box.height) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

const COLUMNS = ["word", "token", "oov", "surprisal", "surprisal_syn", "surprisal_lex", "entropy", "mc_se"];
const NAMES = { word: "word_id" };

export function tsv(rows) {
  const cell = (value) => {
    if (value === null || value === undefined) return "";
    if (typeof value === "boolean") return value ? "1" : "0";
    return String(value).replace(/[\t\r\n]/g, " ");
  };
  const head = COLUMNS.map((name) => NAMES[name] ?? name);
  const lines = rows.map((row) => COLUMNS.map((name) => cell(row[name])));
  return [head, ...lines].map((line) => `${line.join("\t")}\n`).join("");
}

const TAG_COLUMNS = { upos: 3, xpos: 4 };

// The server's CoNLL-U holds the first tree; for another one, its columns are filled in anew.
export function conllu(text, analysis, tagColumn) {
  let word = 0;
  const lines = text.split("\n").map((line) => {
    if (line === "" || line.startsWith("#") || !/^\d+\t/.test(line)) return line;
    const fields = line.split("\t");
    fields[6] = String(analysis.heads[word]);
    if (analysis.labels) fields[7] = analysis.labels[word];
    if (analysis.tags) fields[TAG_COLUMNS[tagColumn] ?? 3] = analysis.tags[word];
    fields[9] = "_";
    word += 1;
    return fields.join("\t");
  });
  return lines.filter((line) => !/^# (log_prob|posterior|expected)/.test(line)).join("\n");
}

export function save(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type: `${type};charset=utf-8` });
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Buttons for a picture, and for further files: [{name: "TSV", file: "x.tsv", type, content: () => text}].
export function exportButtons(stem, picture, others = []) {
  const button = (name, act) =>
    h("button", { type: "button", class: "quiet", "aria-label": `Save as ${name}`, onclick: act }, name);
  return h("div", { class: "exports", role: "group", "aria-label": "Save" },
    h("span", { class: "note", "aria-hidden": "true" }, "Save"),
    button("SVG", () => save(`${stem}.svg`, standalone(picture()), "image/svg+xml")),
    button("PNG", async () => save(`${stem}.png`, await png(picture()), "image/png")),
    others.map((other) => button(other.name, () => save(other.file, other.content(), other.type))));
}
