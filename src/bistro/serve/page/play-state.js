// What the playground shows, as its address says it: everything behind the # of the URL.

export const DEFAULTS = {
  seed: 1, d: 0.5, theta: 1, n: 60,
  text: "the dog saw the cat and the cat saw a bird and the dog saw a cat",
  after: "the", sweeps: 0, d1: 0.5, theta1: 1, d0: 0.5, theta0: 1,
};
export const MOST_GUESTS = 3000;
export const MOST_SWEEPS = 300;
const LIMITS = {
  seed: [1, 999999], d: [0, 0.95], theta: [0, 20], n: [1, MOST_GUESTS], sweeps: [0, MOST_SWEEPS],
  d1: [0, 0.95], theta1: [0, 20], d0: [0, 0.95], theta0: [0, 20],
};
const WHOLE = new Set(["seed", "n", "sweeps"]);

export function readState(hash) {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const state = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS)) if (values.has(name)) state[name] = valid(name, values.get(name));
  return state;
}

// A number within its limits, or its default if it is not a number at all.
export function valid(name, value) {
  if (!(name in LIMITS)) return String(value).slice(0, 400);
  const number = WHOLE.has(name) ? Number.parseInt(value, 10) : Number.parseFloat(value);
  if (!Number.isFinite(number)) return DEFAULTS[name];
  const [low, high] = LIMITS[name];
  return Math.min(high, Math.max(low, number));
}

export function address(state) {
  const values = new URLSearchParams();
  for (const [name, initial] of Object.entries(DEFAULTS)) if (state[name] !== initial) values.set(name, state[name]);
  return `#${values}`;
}
