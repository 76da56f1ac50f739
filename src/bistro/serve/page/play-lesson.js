// A short lesson beside the restaurants: what to look at, and links that set everything up.

import { h } from "./dom.js";
import { address, DEFAULTS } from "./play-state.js";

const STEPS = [
  ["Guests and tables",
    "A guest joins a table with probability (guests there − d) / (n + θ), and opens a " +
    "new one with probability (θ + d · tables) / (n + θ). Popular tables become more popular.",
  [["Ten guests", { n: 10 }]]],
  ["Strength", "The strength θ is like guests who were there before the first: the larger, the more tables. " +
    "With d = 0 their number grows like a logarithm: the Dirichlet process.",
  [["θ = 1, d = 0", { d: 0, theta: 1, n: 1000 }], ["θ = 10, d = 0", { d: 0, theta: 10, n: 1000 }]]],
  ["Discount", "The discount d takes a little from every table and gives it to new ones. Now tables grow like nᵈ, " +
    "a power law, as the words of a language do: most are rare, and new ones never stop coming.",
  [["d = 0.5", { d: 0.5, theta: 1, n: 1000 }], ["d = 0.8", { d: 0.8, theta: 1, n: 1000 }]]],
  ["What can be learned", "Turn it around: from the tables alone, which d and θ are plausible? The map is exact. " +
    "With more guests it becomes small; d is found sooner than θ.",
  [["30 guests", { n: 30 }], ["3,000 guests", { n: 3000 }]]],
  ["Back-off", "Each word before has its own restaurant, and whoever opens a table there sends a guest to the " +
    "restaurant of all words. What a context has never seen is predicted from above. With one table per word " +
    "and θ = 0 this is Kneser-Ney smoothing.", [["After “a”", { after: "a" }]]],
  ["Sweeps", "Nobody has seen who sits where. A Gibbs sweep lets every guest leave and come back; the seatings " +
    "visited are draws from the posterior. That is how Bistro learns.", [["50 sweeps", { sweeps: 50 }]]],
];

export function lesson() {
  const link = ([label, changes]) => h("a", { href: address({ ...DEFAULTS, ...changes }) }, label);
  const items = STEPS.map(([title, text, links]) =>
    h("li", {}, h("h3", {}, title), h("p", {}, text), h("p", { class: "try" }, links.map(link))));
  return [h("h2", {}, "A lesson in six steps"), h("ol", { class: "steps" }, items)];
}
