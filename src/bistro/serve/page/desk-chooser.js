// A field to write in, with the likeliest values under it: arrows go through them, Enter takes what the field says.

import { h, replace, uniqueId } from "./dom.js";
import { percent } from "./text.js";

const MOST = 12;

// `options` are [value, share or null], the likeliest first; `check(value)` may say what is wrong. Returns the element.
export function chooser({ title, options, initial, onchoose, oncancel, hint = "" }) {
  const id = uniqueId("choices");
  let active = -1;
  let shown = [];
  const list = h("ul", { id, role: "listbox", "aria-label": title });
  const input = h("input", {
    type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": id, "aria-label": title, value: initial,
    autocomplete: "off", spellcheck: "false", dir: "auto",
  });
  const draw = () => {
    replace(list, shown.map(([value, share], i) => h("li", {
      id: `${id}-${i}`, role: "option", "aria-selected": String(i === active),
      onclick: () => onchoose(value),
    }, h("bdi", {}, value), share !== null && h("span", { class: "figure" }, percent(share)))));
    list.hidden = !shown.length;
    if (active >= 0) input.setAttribute("aria-activedescendant", `${id}-${active}`);
    else input.removeAttribute("aria-activedescendant");
    list.children[active]?.scrollIntoView({ block: "nearest" });
  };
  const filter = (text) => {
    const wanted = text.trim().toLowerCase();
    const starts = options.filter(([value]) => value.toLowerCase().startsWith(wanted));
    const rest = options.filter((option) => !starts.includes(option) && option[0].toLowerCase().includes(wanted));
    shown = [...starts, ...rest].slice(0, MOST);
    active = -1;
    draw();
  };
  const move = (way) => {
    active = Math.min(shown.length - 1, Math.max(-1, active + way));
    if (active >= 0) input.value = shown[active][0];
    draw();
  };
  input.addEventListener("input", () => filter(input.value));
  input.addEventListener("keydown", (event) => {
    const acts = {
      ArrowDown: () => move(1), ArrowUp: () => move(-1), Escape: oncancel,
      Enter: () => (input.value.trim() ? onchoose(input.value.trim()) : oncancel()),
    };
    if (!acts[event.key] || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    acts[event.key]();
  });
  shown = options.slice(0, MOST);
  draw();
  const element = h("div", { class: "chooser", role: "group", "aria-label": title },
    h("label", {}, h("span", {}, title), input), hint && h("p", { class: "note" }, hint), list,
    h("div", { class: "actions" },
      h("button", { type: "button", onclick: () => input.value.trim() && onchoose(input.value.trim()) }, "Take it"),
      h("button", { type: "button", class: "quiet", onclick: oncancel }, "Cancel")));
  return { element, focus: () => { input.focus(); input.select(); } };
}
