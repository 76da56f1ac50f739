// Sliders and buttons of the playground. Small numbers have most of a slider's way where small differences matter.

import { h } from "./dom.js";
import { MOST_GUESTS } from "./play-state.js";

const STEPS = 200;
const LARGEST_STRENGTH = 20;

// From the place of a slider, 0 to 1, to a value and back.
const SCALES = {
  discount: { value: (x) => Number((0.95 * x).toFixed(3)), place: (v) => v / 0.95 },
  strength: {
    value: (x) => Number((LARGEST_STRENGTH * x * x).toFixed(2)),
    place: (v) => Math.sqrt(v / LARGEST_STRENGTH),
  },
  guests: {
    value: (x) => Math.round(MOST_GUESTS ** x),
    place: (v) => Math.log(v) / Math.log(MOST_GUESTS),
  },
};

// A labelled slider; `set` shows a value, `onvalue` hears of a new one.
export function slider(name, symbol, scale, onvalue) {
  const { value, place } = SCALES[scale];
  const shown = h("output", {});
  const input = h("input", {
    type: "range", min: 0, max: STEPS, step: 1, "aria-label": `${name} ${symbol}`,
    oninput: () => onvalue(value(input.value / STEPS)),
  });
  const label = h("span", {}, `${name} `, h("i", {}, symbol));
  const element = h("label", { class: "slider" }, label, input, shown);
  const set = (now) => {
    if (value(input.value / STEPS) !== now) input.value = Math.round(STEPS * place(now));
    shown.textContent = now.toLocaleString("en", { maximumFractionDigits: 3 });
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  return { element, set };
}

export function button(label, act, attributes = {}) {
  return h("button", { type: "button", onclick: act, ...attributes }, label);
}

// Adds a guest several times a second until it is stopped, faster as more have come.
export class Arrivals {
  constructor(arrive) {
    this.arrive = arrive;
    this.timer = null;
    this.button = button("Let guests arrive", () => this.toggle(), { class: "main", "aria-pressed": "false" });
  }

  toggle() {
    if (this.timer === null) this.step();
    else this.stop();
  }

  step() {
    this.button.textContent = "Stop";
    this.button.setAttribute("aria-pressed", "true");
    const goesOn = this.arrive();
    this.timer = goesOn ? setTimeout(() => this.step(), 120) : null;
    if (!goesOn) this.stop();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
    this.button.textContent = "Let guests arrive";
    this.button.setAttribute("aria-pressed", "false");
  }
}
