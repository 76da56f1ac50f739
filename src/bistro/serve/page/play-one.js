// One restaurant on the page: its tables, its curves, and what they tell of discount and strength.

import { announce, h, replace } from "./dom.js";
import { heatMap, logChart, tablesPicture } from "./play-charts.js";
import { Arrivals, button, slider } from "./play-controls.js";
import { stream } from "./play-random.js";
import { asymptote, expectedSizes, expectedTables, posteriorGrid, seatGuests } from "./play-restaurant.js";
import { MOST_GUESTS } from "./play-state.js";

const SHOWN = 60;
const OTHERS = 12;
const GRID = 40;
const [LEAST_WIDTH, GAP] = [250, 24];
const [MOST_D, MOST_THETA] = [0.98, 8];

export class OneRestaurant {
  constructor(change) {
    this.change = change;
    this.sliders = {
      d: slider("Discount", "d", "discount", (d) => change({ d })),
      theta: slider("Strength", "θ", "strength", (theta) => change({ theta })),
      n: slider("Guests", "n", "guests", (n) => change({ n })),
    };
    this.arrivals = new Arrivals(() => this.arrive());
    const tools = h("div", { class: "actions" }, this.arrivals.button,
      button("One guest", () => this.more(1)), button("Ten guests", () => this.more(10)),
      button("Empty it", () => change({ n: 1 })),
      button("Another evening", () => change({ seed: this.state.seed + 1 })));
    this.picture = h("div", { class: "canvas" });
    this.told = h("p", { class: "summary" });
    this.curves = h("div", { class: "figures" });
    const sliders = h("div", { class: "sliders" }, Object.values(this.sliders).map((one) => one.element));
    this.element = h("section", { "aria-label": "One restaurant" }, h("h2", {}, "One restaurant"), sliders, tools,
      this.picture, this.told, this.curves);
  }

  arrive() {
    this.more(Math.max(1, Math.round(this.state.n / 25)));
    return this.state.n < MOST_GUESTS;
  }

  more(guests) {
    this.change({ n: Math.min(MOST_GUESTS, this.state.n + guests) });
  }

  show(state) {
    this.state = state;
    const { d, theta, n, seed } = state;
    for (const [name, one] of Object.entries(this.sliders)) one.set(state[name]);
    const evening = seatGuests(n, d, theta, stream(seed, "evening"));
    this.showTables(evening);
    const lines = this.growth(evening);
    const width = columnWidth(this.curves);
    replace(this.curves, lines(width), this.sizes(evening, width), this.posterior(evening, width));
  }

  showTables({ sizes, tableOf }) {
    const { d, theta, n } = this.state;
    const last = tableOf[n - 1];
    const drawn = sizes.map((size, k) => ({ size, colour: k, isNew: k === last })).slice(0, SHOWN);
    const width = Math.max(240, this.picture.clientWidth || 600);
    const label = `${number(n, "guest")} at ${number(sizes.length, "table")}; the largest has ${Math.max(...sizes)}`;
    replace(this.picture, tablesPicture(drawn, width, label));
    const more = sizes.length - SHOWN;
    const hidden = more > 0 ? ` Not drawn: ${number(more, "later table")}.` : "";
    const fresh = (theta + d * sizes.length) / (n + theta);
    this.told.textContent = `${label}. The next guest opens a new table with probability ${percent(fresh)}.${hidden}`;
    announce(label);
  }

  // Tables by guests: this evening, others with the same numbers, and theory.
  growth(evening) {
    const { d, theta, n, seed } = this.state;
    const places = logPlaces(n);
    const line = (values, kind) => ({ points: places.map((at) => [at, values[at - 1]]), kind });
    const expected = expectedTables(n, d, theta);
    const others = Array.from({ length: OTHERS }, (_, i) =>
      line(seatGuests(n, d, theta, stream(seed, `other evening ${i}`)).tables, "other"));
    const power = { points: places.map((at) => [at, asymptote(at, d, theta)]), kind: "power" };
    const lines = [...others, power, line(expected, "theory"), line(evening.tables, "seen")];
    const name = d > 0 ? `power law, n to the ${d}` : "θ log(1 + n/θ)";
    return (width) => figure("Tables by guests", logChart(lines, {
      width, height: 230, xLabel: "guests", yLabel: "tables",
      label: `Tables by guests: ${evening.tables[n - 1]} seen, ${expected[n - 1].toFixed(1)} expected`,
    }), [["seen", "this evening"], ["other", `${OTHERS} others`],
      ["theory", `expected exactly: ${expected[n - 1].toFixed(1)}`], ["power", name]]);
  }

  // How many tables have at least so many guests.
  sizes({ sizes }, width) {
    const { d, theta, n } = this.state;
    const expected = expectedSizes(n, d, theta);
    const atLeast = (counts) => {
      const sums = new Float64Array(n + 2);
      for (let m = n; m > 0; m -= 1) sums[m] = sums[m + 1] + counts[m];
      return sums;
    };
    const seen = new Float64Array(n + 1);
    for (const size of sizes) seen[size] += 1;
    const lines = [[atLeast(expected), "theory"], [atLeast(seen), "seen"]].map(([sums, kind]) => ({
      kind, points: logPlaces(n).map((m) => [m, sums[m]]).filter(([, y]) => y > 0.1),
    }));
    return figure("Tables with at least m guests", logChart(lines, {
      width, height: 230, xLabel: "m guests", yLabel: "tables",
      label: `Sizes of tables: ${seen[1]} tables have one guest, ${expected[1].toFixed(1)} expected`,
    }), [["seen", "this evening"], ["theory", `expected exactly; one guest: ${expected[1].toFixed(1)}`]]);
  }

  posterior({ sizes }, width) {
    const discounts = Array.from({ length: GRID }, (_, i) => (MOST_D * (i + 0.5)) / GRID);
    const strengths = Array.from({ length: GRID }, (_, i) => (MOST_THETA * (i + 0.5)) / GRID);
    const grid = posteriorGrid(sizes, discounts, strengths);
    const mean = (weigh) => grid.flatMap((row, i) => row.map((p, j) => p * weigh(i, j))).reduce((a, b) => a + b, 0);
    const [d, theta] = [mean((i) => discounts[i]), mean((_, j) => strengths[j])].map((x) => x.toFixed(2));
    const mark = [Math.min(1, this.state.theta / MOST_THETA), this.state.d / MOST_D];
    return figure("What the tables say about d and θ", heatMap(grid, {
      width, height: 230, xLabel: "strength θ", yLabel: "discount d", mark,
      xEnds: ["0", String(MOST_THETA)], yEnds: ["0", "1"],
      label: `Posterior of discount and strength: means ${d} and ${theta}`,
    }), [["truth", "the sliders"], ["map", `posterior under Beta(1, 1) and Gamma(1, 1); mean d ${d}, θ ${theta}`]]);
  }
}

// Numbers from 1 to n, about evenly spaced on a logarithmic axis.
function logPlaces(n) {
  const places = new Set([1, n]);
  for (let i = 0; i <= 120; i += 1) places.add(Math.max(1, Math.round(n ** (i / 120))));
  return [...places].sort((a, b) => a - b);
}

export function figure(title, picture, keys) {
  const labels = keys.map(([kind, text]) => h("span", { class: `key ${kind}` }, text));
  return h("figure", {}, h("h3", {}, title), picture, h("figcaption", {}, labels));
}

// The width of each figure, so that as many as are readable stand side by side.
function columnWidth(place) {
  const all = place.clientWidth || 430;
  const columns = Math.max(1, Math.min(3, Math.floor((all + GAP) / (LEAST_WIDTH + GAP))));
  return Math.floor((all - GAP * (columns - 1)) / columns);
}

export function number(n, name) {
  return `${n.toLocaleString("en")} ${name}${n === 1 ? "" : "s"}`;
}

export function percent(p) {
  return `${(100 * p).toFixed(1)} %`;
}
