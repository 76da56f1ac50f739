// Two readings in one picture: words that both sentences have stand in one column, with their bars side by side.

import { h, svg, svgText } from "./dom.js";
import { exportButtons } from "./export.js";
import { FONT, bits, isRightToLeft, shownToken, textWidth } from "./text.js";

const BARS = 130;
const AXIS = 30;
const BAR = 18;

export function comparison(first, second) {
  const columns = align(first.rows, second.rows);
  const picture = draw(columns);
  const total = (reading) => reading.rows.reduce((sum, row) => sum + (row.surprisal ?? 0), 0);
  const named = (reading) => (first.model === second.model ? reading.words.join(" ") : reading.model);
  const key = (side, reading) =>
    h("span", { class: `key ${side}` }, h("bdi", {}, named(reading)), ` ${bits(total(reading))} bits`);
  return h("section", { class: "comparison" },
    h("div", { class: "bar-of-tools" }, h("h2", {}, "Side by side"),
      exportButtons("comparison", () => picture, [
        { name: "TSV", file: "comparison.tsv", type: "text/tab-separated-values", content: () => table(columns) },
      ])),
    h("div", { class: "canvas", tabindex: "0", role: "group", "aria-label": "Surprisal of both" }, picture),
    h("p", { class: "note" }, key("first", first), key("second", second)));
}

// The longest common subsequence of the words; what only one sentence has gets a column of its own.
export function align(first, second) {
  const same = (i, j) => first[i].token.toLowerCase() === second[j].token.toLowerCase();
  const longest = Array.from({ length: first.length + 1 }, () => new Array(second.length + 1).fill(0));
  for (let i = first.length - 1; i >= 0; i -= 1) {
    for (let j = second.length - 1; j >= 0; j -= 1) {
      longest[i][j] = same(i, j) ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const columns = [];
  let [i, j] = [0, 0];
  while (i < first.length || j < second.length) {
    const [more, moreToo] = [i < first.length, j < second.length];
    if (more && moreToo && same(i, j)) columns.push([first[i++], second[j++]]);
    else if (!moreToo || (more && longest[i + 1][j] >= longest[i][j + 1])) columns.push([first[i++], null]);
    else columns.push([null, second[j++]]);
  }
  return columns;
}

function draw(columns) {
  const tokens = columns.map(([a, b]) => (a ?? b).token);
  const rtl = isRightToLeft(tokens.filter((token) => token !== "</s>"));
  const widths = tokens.map((token) => Math.max(64, textWidth(shownToken(token), 15, 600) + 16));
  const width = AXIS + widths.reduce((sum, one) => sum + one, 0) + 8;
  const ground = 20 + BARS;
  const height = ground + 34;
  const values = columns.flat().filter(Boolean).map((row) => row.surprisal ?? 0);
  const highest = Math.max(6, ...values);
  const scale = (value) => ((BARS - 16) * value) / highest;
  let reached = AXIS;
  const groups = columns.map(([a, b], i) => {
    const x = reached + widths[i] / 2;
    reached += widths[i];
    const centre = rtl ? width - x : x;
    return drawPair(a, b, { centre, ground, scale, word: shownToken(tokens[i]), rtl });
  });
  return svg(
    "svg",
    {
      class: "strip pair", viewBox: `0 0 ${width} ${height}`, width, height, "font-family": FONT, role: "img",
      "aria-label": describePairs(columns),
    },
    svg("rect", { class: "paper", width, height, rx: 6 }),
    svg("path", { class: "axis", d: rtl ? `M8 ${ground}H${width - AXIS}` : `M${AXIS} ${ground}H${width - 8}` }),
    svgText("tick", rtl ? width - AXIS / 2 : AXIS / 2, ground + 3, 10, "bits"),
    groups,
  );
}

function describePairs(columns) {
  const pair = ([a, b]) => `${shownToken((a ?? b).token)}: ${bits(a?.surprisal)} and ${bits(b?.surprisal)}`;
  return `Surprisal in bits. ${columns.map(pair).join("; ")}`;
}

function drawPair(a, b, { centre, ground, scale, word, rtl }) {
  const toFirst = rtl ? 1 : -1;
  const bar = (row, side, shift) => {
    if (!row || row.surprisal === null) return null;
    const tall = scale(row.surprisal);
    return svg("g", { class: row.oov ? "bar oov" : "bar" },
      svg("title", {}, `${row.token}: ${bits(row.surprisal)} bits${row.oov ? ", unknown word" : ""}`),
      svg("rect", { class: side, x: centre + shift - BAR / 2, y: ground - tall, width: BAR, height: tall }),
      svgText("value", centre + 1.35 * shift, ground - tall - 5, 10, bits(row.surprisal)));
  };
  const kind = a && b ? "column" : "column alone";
  return svg("g", { class: kind },
    bar(a, "first", toFirst * (BAR / 2 + 1)),
    bar(b, "second", -toFirst * (BAR / 2 + 1)),
    svgText("word", centre, ground + 21, 15, word));
}

function table(columns) {
  const lines = columns.map((pair) => pair.flatMap((row) => [row?.token ?? "", row?.surprisal ?? ""]));
  const all = [["token_1", "surprisal_1", "token_2", "surprisal_2"], ...lines];
  return all.map((line) => `${line.join("\t")}\n`).join("");
}
