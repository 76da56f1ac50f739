// Play, pause, step, slide. A surprising word takes longer to read: 600 ms and 70 ms a bit.

import { h, uniqueId } from "./dom.js";
import { bits, isolate, shownToken } from "./text.js";

export class Player {
  constructor(rows, rtl, onstep) {
    this.rows = rows;
    this.last = rows.length;
    this.step = this.last;
    this.rtl = rtl;
    this.onstep = onstep;
    this.timer = null;
    this.element = this.build();
  }

  build() {
    const button = (name, sign, act) => {
      const attributes = { type: "button", class: "round", "aria-label": name, title: name, onclick: act };
      return h("button", attributes, h("span", { "aria-hidden": "true" }, sign));
    };
    this.playButton = button("Play", "▶", () => this.toggle());
    this.playButton.classList.add("play");
    const id = uniqueId("place");
    this.slider = h("input", {
      type: "range", id, min: 1, max: this.last, step: 1, "aria-label": "Word reached",
      oninput: () => this.go(Number(this.slider.value)),
    });
    this.label = h("output", { for: id, class: "reached", dir: "ltr" });
    return h("div", { class: "player", role: "group", "aria-label": "Player", dir: this.rtl ? "rtl" : "ltr" },
      button("To the first word", "«", () => this.go(1)),
      button("One word back", "‹", () => this.go(this.step - 1)),
      this.playButton,
      button("One word on", "›", () => this.go(this.step + 1)),
      button("To the end", "»", () => this.go(this.last)),
      this.slider,
      this.label);
  }

  // Moves to a step by the user's hand, which also stops the playing.
  go(step) {
    this.pause();
    this.move(step);
  }

  move(step) {
    this.set(step);
    this.onstep(this.step);
  }

  set(step) {
    this.step = Math.min(this.last, Math.max(1, step));
    const row = this.rows[this.step - 1];
    this.slider.value = String(this.step);
    const label = `${isolate(shownToken(row.token))}, ${bits(row.surprisal)} bits`;
    this.slider.setAttribute("aria-valuetext", label);
    this.label.textContent = label;
  }

  toggle() {
    if (this.timer) return this.pause();
    if (this.step === this.last) this.move(1);
    this.playButton.setAttribute("aria-label", "Pause");
    this.playButton.title = "Pause";
    this.playButton.firstChild.textContent = "❚❚";
    return this.wait();
  }

  wait() {
    const surprisal = this.rows[this.step - 1].surprisal ?? 0;
    this.timer = setTimeout(() => {
      this.move(this.step + 1);
      if (this.step === this.last) this.pause();
      else this.wait();
    }, 600 + 70 * surprisal);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.playButton.setAttribute("aria-label", "Play");
    this.playButton.title = "Play";
    this.playButton.firstChild.textContent = "▶";
  }

  // Keys of the reading as a whole; controls that use the arrows themselves keep them.
  onkey(event) {
    const isTaken = event.target.matches("input, select, textarea, .node");
    if (isTaken || event.ctrlKey || event.metaKey || event.altKey) return;
    const on = this.rtl ? "ArrowLeft" : "ArrowRight";
    const back = this.rtl ? "ArrowRight" : "ArrowLeft";
    const moves = { [on]: this.step + 1, [back]: this.step - 1, Home: 1, End: this.last };
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.go(moves[event.key]);
  }
}
