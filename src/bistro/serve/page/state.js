// What is shown, as the address says it: everything behind the # of the page's URL, which stays in the browser.
//
//   #model=english&text=The+horse+raced+past+the+barn+fell.&step=7&tree=2
//
// `sentence` is the number of the one that is shown of a text with several.
// The second sentence of a comparison has the same names with a 2.

const DEFAULTS = {
  model: "", text: "", sentence: 1, step: 0, tree: 1,
  compare: false, model2: "", text2: "", sentence2: 1, step2: 0, tree2: 1,
  parts: false, spaces: false,
};

// Where a new text begins, and where both of a comparison do.
export const FIRST = { sentence: 1, step: 0, tree: 1 };
export const START = { ...FIRST, sentence2: 1, step2: 0, tree2: 1 };

export function readAddress() {
  const values = new URLSearchParams(location.hash.slice(1));
  const state = { ...DEFAULTS };
  for (const [name, initial] of Object.entries(DEFAULTS)) {
    if (!values.has(name)) continue;
    const value = values.get(name);
    if (typeof initial === "number") state[name] = Math.max(0, Number.parseInt(value, 10) || initial);
    else state[name] = typeof initial === "boolean" ? value === "1" : value;
  }
  return state;
}

export function address(state) {
  const values = new URLSearchParams();
  for (const [name, initial] of Object.entries(DEFAULTS)) {
    const value = state[name];
    if (value === initial || (name.endsWith("2") && !state.compare)) continue;
    values.set(name, value === true ? "1" : String(value));
  }
  return `#${values}`;
}

// A new sentence is a new place in the history; a step within it is not.
export function remember(state, isNew) {
  if (address(state) === location.hash) return;
  if (isNew) history.pushState(null, "", address(state));
  else history.replaceState(null, "", address(state));
}

export function sideOf(state, second) {
  const tail = second ? "2" : "";
  const pick = (name) => state[name + tail];
  const [model, text, sentence, step, tree] = ["model", "text", "sentence", "step", "tree"].map(pick);
  return { model, text, sentence, step, tree, spaces: state.spaces };
}

export function withSide(state, second, changes) {
  const renamed = Object.entries(changes).map(([name, value]) => [second ? `${name}2` : name, value]);
  return { ...state, ...Object.fromEntries(renamed) };
}
