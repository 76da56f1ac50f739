// The playground: what the address says is shown, and what is shown is said in the address.

import { replace } from "./dom.js";
import { lesson } from "./play-lesson.js";
import { OneRestaurant } from "./play-one.js";
import { address, readState } from "./play-state.js";
import { TwoLevels } from "./play-two.js";

const KEYS = { ArrowRight: 1, PageUp: 10 };

class Playground {
  constructor() {
    this.state = readState(location.hash);
    this.one = new OneRestaurant((changes) => this.change(changes));
    this.two = new TwoLevels((changes) => this.change(changes));
    replace(document.getElementById("main"), this.one.element, this.two.element);
    replace(document.getElementById("lesson"), lesson());
    window.addEventListener("hashchange", () => this.show(readState(location.hash)));
    window.addEventListener("resize", () => this.show(this.state));
    document.addEventListener("keydown", (event) => this.onkey(event));
    this.show(this.state);
  }

  change(changes) {
    this.show({ ...this.state, ...changes });
    history.replaceState(null, "", address(this.state));
  }

  show(state) {
    const before = this.state;
    const differs = (names) => !this.shown || names.some((name) => state[name] !== before[name]);
    const resized = state === before;
    this.state = state;
    if (resized || differs(["seed", "d", "theta", "n"])) this.one.show(state);
    if (resized || differs(["seed", "text", "after", "sweeps", "d1", "theta1", "d0", "theta0"])) this.two.show(state);
    this.shown = true;
  }

  // From anywhere but a field: a guest, ten guests, or guests until the next key.
  onkey(event) {
    if (event.target !== document.body && event.target.id !== "main") return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === " ") this.one.arrivals.toggle();
    else if (event.key in KEYS) this.one.more(KEYS[event.key]);
    else return;
    event.preventDefault();
  }
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});

new Playground();
