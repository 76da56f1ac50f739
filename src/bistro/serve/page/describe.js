// Trees and readings in words: for screen readers, for the tables under the pictures, and for `desc` in exports.

import { bits, count, isolate, percent, shownToken } from "./text.js";

export function describeWord(tree, word) {
  const head = tree.heads[word];
  const label = tree.labels?.[word];
  const named = label && label !== "_" ? ` as ${label}` : "";
  const form = isolate(tree.words[word]);
  if (head < 0) return `${form} is not attached yet`;
  if (head === 0) return `${form} is the root`;
  return `${form} depends on ${isolate(tree.words[head - 1])}${named}`;
}

export function describeTree(tree) {
  return `${tree.words.map((_, word) => describeWord(tree, word)).join("; ")}.`;
}

// The same in the fewest letters: fell under barn (acl). No arrow: some draw it to the head, others from it.
export function shortArc(words, word, head, label) {
  const named = head > 0 && label && label !== "_" ? ` (${label})` : "";
  return `${isolate(words[word])} ${head === 0 ? "as root" : `under ${isolate(words[head - 1])}`}${named}`;
}

// What is new in an analysis at this step: the arcs that its parent did not have.
export function newArcs(live, parent, words) {
  const arcs = [];
  live.heads.forEach((head, word) => {
    const before = parent && word < parent.heads.length ? parent.heads[word] : -1;
    if (head >= 0 && head !== before) arcs.push(shortArc(words, word, head, live.labels?.[word]));
  });
  return arcs;
}

// What an analysis has that another one of the same words has not: arcs, open words, tags.
export function otherArcsThan(other, live, words) {
  const parts = [];
  live.heads.forEach((head, word) => {
    const [label, tag] = [live.labels?.[word], live.tags?.[word]];
    const form = isolate(words[word]);
    if (head !== other.heads[word]) parts.push(head < 0 ? `${form} open` : shortArc(words, word, head, label));
    else if (head > 0 && label !== other.labels?.[word]) parts.push(`${form}: ${label}`);
    else if (tag !== other.tags?.[word]) parts.push(`${form}: ${tag}`);
  });
  return parts;
}

export function describeStep(row, step, total) {
  const name = `Word ${Math.min(row.word, total)} of ${total}, ${isolate(row.token)}`;
  const start = row.word > total ? "End of the sentence" : name;
  const parts = [`${start}: ${bits(row.surprisal)} bits`];
  if (row.oov) parts[0] += ", unknown to the model";
  if (step) {
    parts.push(`The likeliest analysis has ${percent(step.ranked[0]?.live.probability ?? 0)}`);
    const [lost] = step.lost;
    const number = count(step.lost.length, "analysis", "analyses");
    if (lost) parts.push(`${number} lost that had ${percent(lost.live.probability)} or less`);
  }
  return `${parts.join(". ")}.`;
}

export function describeBars(rows) {
  const text = (row) => `${shownToken(row.token)} ${bits(row.surprisal)} bits${row.oov ? " (unknown word)" : ""}`;
  return rows.map(text).join(", ");
}
