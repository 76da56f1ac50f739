// Words and figures as they are written: widths, directions, percentages, bits.

export const FONT = "system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', Helvetica, Arial, sans-serif";
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const LETTER = /\p{L}/u;
const canvas = document.createElement("canvas").getContext("2d");

const widths = new Map();
const MOST_WIDTHS = 5000;

// Measured once per text: a tree is drawn again after every decision about it.
export function textWidth(text, size, weight = 400) {
  const key = `${weight} ${size} ${text}`;
  if (!widths.has(key)) {
    if (widths.size > MOST_WIDTHS) widths.clear();
    canvas.font = `${weight} ${size}px ${FONT}`;
    widths.set(key, canvas.measureText(text).width);
  }
  return widths.get(key);
}

// A sentence runs right to left if most of its letters do.
export function isRightToLeft(words) {
  const letters = [...words.join("")].filter((letter) => LETTER.test(letter));
  return 2 * letters.filter((letter) => RIGHT_TO_LEFT.test(letter)).length > letters.length;
}

// Keeps a word of the other direction from moving the text around it.
export function isolate(word) {
  return RIGHT_TO_LEFT.test(word) ? `\u2068${word}\u2069` : word;
}

export function percent(share) {
  if (share === null || share === undefined) return "";
  if (share > 0 && share < 0.001) return "<0.1%";
  if (share < 0.0995 || (share > 0.9905 && share < 0.9995)) return `${(100 * share).toFixed(1)}%`;
  return `${Math.round(100 * share)}%`;
}

export function bits(value) {
  return value === null || value === undefined ? "–" : value.toFixed(1);
}

export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

export const END = "</s>";

export function shownToken(token) {
  return token === END ? "end" : token;
}
