// A franchise on the page: restaurants of contexts, the restaurant above, back-off word by word, and sweeps.

import { announce, h, modelSelect, replace } from "./dom.js";
import { tablesPicture, traceChart } from "./play-charts.js";
import { button, slider } from "./play-controls.js";
import { eventsOf, Franchise } from "./play-franchise.js";
import { figure, number, percent } from "./play-one.js";
import { stream } from "./play-random.js";
import { MOST_SWEEPS } from "./play-state.js";

const ROWS = 6;

export class TwoLevels {
  constructor(change) {
    this.change = change;
    this.text = h("input", {
      type: "text", "aria-label": "Text", autocomplete: "off",
      onchange: () => change({ text: this.text.value, sweeps: 0 }),
    });
    this.sliders = {
      d1: slider("Contexts: discount", "d₁", "discount", (d1) => change({ d1 })),
      theta1: slider("strength", "θ₁", "strength", (theta1) => change({ theta1 })),
      d0: slider("All words: discount", "d₀", "discount", (d0) => change({ d0 })),
      theta0: slider("strength", "θ₀", "strength", (theta0) => change({ theta0 })),
    };
    this.tools = h("div", { class: "actions" },
      button("Sweep", () => this.more(1), { class: "main" }), button("Ten sweeps", () => this.more(10)),
      button("Start over", () => change({ sweeps: 0 })));
    this.restaurants = h("div", { class: "restaurants" });
    this.prediction = h("div", {});
    this.trace = h("div", { class: "figures" });
    const sliders = h("div", { class: "sliders pairs" }, Object.values(this.sliders).map((one) => one.element));
    this.element = h("section", { "aria-label": "A franchise of two levels" },
      h("h2", {}, "A franchise of two levels"),
      h("p", { class: "note" }, "Every word is a guest of the restaurant of the word before it. Each table there has " +
        "one guest in the restaurant of all words. Change the text, and press Enter."),
      h("div", { class: "line" }, this.text), sliders, this.tools, this.restaurants, this.prediction, this.trace);
  }

  more(sweeps) {
    this.change({ sweeps: Math.min(MOST_SWEEPS, this.state.sweeps + sweeps) });
  }

  show(state) {
    this.state = state;
    for (const [name, one] of Object.entries(this.sliders)) one.set(state[name]);
    if (this.text.value !== state.text) this.text.value = state.text;
    const { words, events } = eventsOf(state.text);
    if (!events.length) {
      replace(this.restaurants, h("p", { class: "error" }, "Type a text of at least two words."));
      replace(this.prediction);
      replace(this.trace);
      return;
    }
    const levels = [[state.d0, state.theta0], [state.d1, state.theta1]];
    const franchise = new Franchise(words, levels, stream(state.seed, "franchise"));
    for (const [context, word] of events) franchise.add(context, word);
    const tables = [tablesOf(franchise)];
    for (let i = 0; i < state.sweeps; i += 1) {
      franchise.sweep(events);
      tables.push(tablesOf(franchise));
    }
    this.showRestaurants(franchise);
    this.showPrediction(franchise);
    this.showTrace(tables);
  }

  showRestaurants(franchise) {
    const width = Math.max(200, (this.restaurants.clientWidth || 600) - 110);
    const colours = new Map(franchise.words.map((word, i) => [word, i]));
    const contexts = [...franchise.restaurants.keys()].filter(Boolean)
      .sort((a, b) => franchise.counts(b).customers - franchise.counts(a).customers || (a < b ? -1 : 1));
    const row = (context, name) => {
      const drawn = [...franchise.of(context)].flatMap(([word, sizes]) =>
        sizes.map((size) => ({ size, name: word, colour: colours.get(word) })));
      const { customers, tables } = franchise.counts(context);
      const label = `${name}: ${number(customers, "guest")} at ${number(tables, "table")}`;
      return h("div", { class: "restaurant" }, h("p", {}, h("b", {}, name), h("br"), `${customers} at ${tables}`),
        tablesPicture(drawn, width, label));
    };
    const rows = contexts.slice(0, ROWS).map((context) => row(context, `after ${context}`));
    const more = contexts.length - ROWS;
    const hidden = more > 0 && h("p", { class: "note" }, `Not drawn: ${number(more, "smaller restaurant")}.`);
    replace(this.restaurants, row("", "all words"), rows, hidden);
    announce(`${this.state.sweeps} sweeps`);
  }

  showPrediction(franchise) {
    const contexts = franchise.words.map((id) => ({ id }));
    const after = franchise.words.includes(this.state.after) ? this.state.after : franchise.words[0];
    const select = modelSelect("Word before", contexts, { onchange: () => this.change({ after: select.value }) });
    select.value = after;
    const rows = franchise.words.map((word) => ({ word, ...franchise.parts(after, word) }))
      .sort((a, b) => b.own + b.backoff - a.own - a.backoff).slice(0, 10);
    const bar = ({ own, backoff }) => h("span", { class: "mass both", "aria-hidden": "true" },
      h("span", { class: "own", vars: { share: own } }),
      h("span", { class: "backoff", vars: { share: backoff, before: own } }));
    const cells = rows.map((row) => h("tr", {}, h("th", { scope: "row" }, row.word),
      [row.own, row.backoff, row.own + row.backoff].map((p) => h("td", {}, percent(p))), h("td", {}, bar(row))));
    const head = ["next word", "own tables", "back-off", "together", ""].map((name) => h("th", { scope: "col" }, name));
    replace(this.prediction, h("h3", {}, "What comes after ", select), h("div", { class: "scroll" },
      h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, cells))));
  }

  showTrace(tables) {
    if (tables.length < 2) return replace(this.trace);
    const width = Math.max(240, Math.min(700, this.trace.clientWidth || 600));
    const line = (level, kind) => ({ kind, values: tables.map((pair) => pair[level]) });
    const lines = [line(0, "theory"), line(1, "seen")];
    const mean = (level) => (tables.reduce((sum, pair) => sum + pair[level], 0) / tables.length).toFixed(1);
    return replace(this.trace, figure("Tables after each sweep", traceChart(lines, {
      width, height: 130,
      label: `Tables after ${tables.length - 1} sweeps: on average ${mean(1)} in contexts, ${mean(0)} above`,
    }), [["seen", `contexts, mean ${mean(1)}`], ["theory", `all words, mean ${mean(0)}`]]));
  }
}

// Tables of the restaurant above, and of all contexts.
function tablesOf(franchise) {
  const contexts = [...franchise.restaurants.keys()].filter(Boolean);
  return [franchise.counts("").tables, contexts.reduce((sum, context) => sum + franchise.counts(context).tables, 0)];
}
