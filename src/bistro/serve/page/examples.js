// Sentences to begin with: known garden paths for models of English, sentences of its own for any other model.

import { ask } from "./api.js";

const ENGLISH = /(^|[^a-z])(en|eng|english|ewt|gum|wsj|ptb|penn|built-?in)([^a-z]|$)/i;

export const MADE_UP = "made up by the model";

const SENTENCES = [
  { name: "a garden path", text: "The horse raced past the barn fell." },
  { name: "another one", text: "While the man hunted the deer ran." },
  { name: "noun or verb?", text: "The old man the boat." },
  { name: "who has the telescope?", text: "The man saw the boy with the telescope." },
  {
    name: "with and without a comma",
    text: "While the man hunted the deer ran.",
    text2: "While the man hunted, the deer ran.",
  },
];

export function isEnglish(model) {
  return ENGLISH.test(JSON.stringify(model.treebank ?? ""));
}

export async function examplesFor(model) {
  if (isEnglish(model)) return SENTENCES;
  if (!model.abilities.includes("generate")) return [];
  const drawing = ask("generate", { model: model.id, n: 4, seed: 1, temperature: 0.7 });
  const { sentences } = await drawing.catch(() => ({ sentences: [] }));
  const short = sentences.map(({ words }) => words).filter((words) => words.length > 2 && words.length < 25);
  const texts = new Set(short.map((words) => words.join(" ")));
  return [...texts].map((text) => ({ name: MADE_UP, text, spaces: true }));
}
