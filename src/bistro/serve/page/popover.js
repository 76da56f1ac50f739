// The one small window of the page: what else the model thought of a word. It opens on hover and focus and stays
// after a tap or Enter; Escape, a tap elsewhere, or leaving it closes it.

import { h, massBar, replace } from "./dom.js";
import { percent } from "./text.js";

const LINGER = 180;
const FEWEST = 0.001;
const MOST = 6;

class Popover {
  constructor() {
    this.element = h("div", { class: "popover", role: "dialog", "aria-label": "Alternatives", hidden: true });
    this.element.addEventListener("pointerenter", () => clearTimeout(this.timer));
    this.element.addEventListener("pointerleave", () => this.release());
    document.body.append(this.element);
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    document.addEventListener("pointerdown", (event) => {
      if (!this.element.contains(event.target) && !this.anchor?.contains(event.target)) this.close();
    });
    window.addEventListener("resize", () => this.close());
    document.addEventListener("scroll", () => this.place(), true);
  }

  open(anchor, content, onclose, { pinned = false } = {}) {
    clearTimeout(this.timer);
    if (this.anchor !== anchor) this.close();
    this.anchor = anchor;
    this.onclose = onclose;
    this.pinned = pinned || this.pinned;
    anchor.setAttribute("aria-expanded", "true");
    replace(this.element, content);
    this.element.hidden = false;
    this.place();
  }

  place() {
    if (!this.anchor) return;
    const target = this.anchor.querySelector(".hit").getBoundingClientRect();
    const box = this.element.getBoundingClientRect();
    const centred = target.left + (target.width - box.width) / 2;
    const left = Math.min(window.innerWidth - box.width - 8, Math.max(8, centred));
    const below = target.bottom + 8;
    const fits = below + box.height < window.innerHeight - 8;
    const top = fits ? below : Math.max(8, target.top - box.height - 8);
    this.element.style.left = `${left + window.scrollX}px`;
    this.element.style.top = `${top + window.scrollY}px`;
  }

  release() {
    if (this.pinned) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.close(), LINGER);
  }

  close() {
    clearTimeout(this.timer);
    this.pinned = false;
    this.element.hidden = true;
    this.anchor?.setAttribute("aria-expanded", "false");
    this.anchor = null;
    this.onclose?.();
    this.onclose = null;
  }
}

let single = null;
export function popover() {
  single ??= new Popover();
  return single;
}

// A list of [name, share] with bars; `chosen` is what the drawn tree has.
export function shareList(title, pairs, chosen) {
  const shown = pairs.filter(([, share], i) => i < MOST && (i === 0 || share >= FEWEST));
  return h("section", {},
    h("h4", {}, title),
    h("ul", { class: "shares" }, shown.map(([name, share]) =>
      h("li", { class: name === chosen ? "chosen" : null, vars: { share } },
        h("bdi", {}, name), h("span", { class: "figure" }, percent(share)), massBar()))));
}
