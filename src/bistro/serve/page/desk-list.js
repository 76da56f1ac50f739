// The list of sentences. Only the rows that can be seen are in the document, so ten thousand are as quick as ten.

import { h, replace } from "./dom.js";
import { count, percent } from "./text.js";

const HEIGHT = 54;
const MORE = 6;
const ORDERS = {
  file: "as in the file", doubt: "most doubt per word", corrections: "most corrections expected",
  worst: "most doubtful word", new: "most new words", both: "doubt and new words", random: "random",
};
const STATES = { open: "open", part: "partly", whole: "annotated", done: "confirmed" };

export class SentenceList {
  constructor(element, onopen) {
    this.onopen = onopen;
    this.selected = -1;
    this.head = h("div", { class: "list-head" });
    this.inner = h("div", { class: "rows", role: "presentation" });
    this.box = h("div", {
      class: "scroller", tabindex: "0", role: "listbox", "aria-label": "Sentences of the file",
      onscroll: () => this.draw(), onkeydown: (event) => this.onkey(event),
    }, this.inner);
    replace(element, this.head, this.box);
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  show(rows, order) {
    this.rows = rows;
    this.order = order;
    this.inner.style.height = `${HEIGHT * order.length}px`;
    this.ranks = new Map(order.map((place, rank) => [place, rank]));
    this.draw();
  }

  draw() {
    if (!this.rows) return;
    const first = Math.max(0, Math.floor(this.box.scrollTop / HEIGHT) - MORE);
    const last = Math.min(this.order.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / HEIGHT) + MORE);
    const shown = [];
    for (let rank = first; rank < last; rank += 1) shown.push(this.row(rank));
    const own = this.ranks.get(this.selected);
    // What the list box says is active must be there, also when it was scrolled away.
    if (own !== undefined && (own < first || own >= last)) shown.push(this.row(own));
    replace(this.inner, shown);
  }

  row(rank) {
    const place = this.order[rank];
    const [name, text, words, state, doubt] = this.rows[place];
    const facts = [String(place + 1), STATES[state], state !== "done" && doubt !== null && `doubt ${percent(doubt)}`,
      count(words, "word")].filter(Boolean).join(" · ");
    const item = h("div", {
      id: `sentence-${place}`, role: "option", class: `row ${state}`, "aria-selected": String(place === this.selected),
      "aria-setsize": this.order.length, "aria-posinset": rank + 1, onclick: () => this.onopen(place),
      vars: { share: state === "done" ? 0 : doubt ?? 0 },
    },
    h("span", { class: "name" }, facts, name !== String(place + 1) && [" · ", h("bdi", {}, name)]),
    h("span", { class: "text", dir: "auto" }, text),
    h("span", { class: "doubt", "aria-hidden": "true" }));
    item.style.top = `${rank * HEIGHT}px`;
    return item;
  }

  refresh(place) {
    const item = document.getElementById(`sentence-${place}`);
    if (item) item.replaceWith(this.row(this.ranks.get(place)));
  }

  select(place) {
    this.selected = place;
    const rank = this.ranks?.get(place);
    if (rank === undefined) return;
    const top = rank * HEIGHT;
    const { scrollTop, clientHeight } = this.box;
    if (top < scrollTop || top + HEIGHT > scrollTop + clientHeight) this.box.scrollTop = top - clientHeight / 3;
    this.draw();
    this.box.setAttribute("aria-activedescendant", `sentence-${place}`);
  }

  onkey(event) {
    const rank = this.ranks.get(this.selected) ?? 0;
    const page = Math.max(1, Math.floor(this.box.clientHeight / HEIGHT) - 1);
    const aims = {
      ArrowDown: rank + 1, ArrowUp: rank - 1, PageDown: rank + page, PageUp: rank - page, Home: 0,
      End: this.order.length - 1,
    };
    if (event.key === "Enter") document.querySelector(".sheet .board")?.focus();
    else if (!(event.key in aims)) return;
    else this.onopen(this.order[Math.min(this.order.length - 1, Math.max(0, aims[event.key]))]);
    event.preventDefault();
  }
}

export function orderSelect(onchange) {
  return h("select", { "aria-label": "Order of the list", onchange },
    Object.entries(ORDERS).map(([value, name]) => h("option", { value }, name)));
}
