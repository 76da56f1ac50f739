// Elements from descriptions. Text always becomes text nodes: nothing a user or a model says is read as HTML.
//
//   h("p", { class: "note", onclick: act, vars: { share: 0.3 } }, "so much: ", h("b", {}, "30 %"))

const SVG = "http://www.w3.org/2000/svg";

export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name === "vars") setVariables(node, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child || child === 0));
  return node;
}

// Through the object model, because a strict content policy refuses style attributes.
export function setVariables(node, variables) {
  for (const [name, value] of Object.entries(variables)) node.style.setProperty(`--${name}`, value);
}

// Text in a picture, centred on x.
export function svgText(kind, x, y, size, text) {
  return svg("text", { class: kind, x, y, "text-anchor": "middle", "font-size": size }, text);
}

// A bar that shows --share of its width; with `had`, --before as an outline too.
export function massBar(had = false) {
  const parts = [had && h("span", { class: "had" }), h("span", { class: "has" })];
  return h("span", { class: "mass", "aria-hidden": "true" }, parts);
}

export function modelSelect(name, models, attributes = {}) {
  const options = models.map((model) => h("option", { value: model.id }, model.id));
  return h("select", { "aria-label": name, ...attributes }, options);
}

export function errorNote(text) {
  return h("p", { class: "error", role: "alert" }, text);
}

// A sentence that is read when it is clicked.
export function sentenceButton(content, act) {
  return h("button", { type: "button", class: "sentence", dir: "auto", title: "Read it", onclick: act }, content);
}

export function replace(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter(Boolean));
  return node;
}

let counter = 0;
export function uniqueId(prefix) {
  counter += 1;
  return `${prefix}-${counter}`;
}

export function prefersStillness() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// What just happened, for those who listen to the page.
export function announce(text) {
  document.getElementById("live").textContent = text;
}
