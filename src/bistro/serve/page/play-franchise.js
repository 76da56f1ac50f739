// A franchise of two levels: every context has a restaurant, and their tables are the guests of one restaurant above.
//
//   p(word | context) = (c - d t) / (C + θ) + (θ + d T) / (C + θ) · p(word)      and so on above, down to 1 / V

import { choose } from "./play-random.js";

const TOP = "";

export class Franchise {
  // `levels` are [discount, strength] of the restaurant above and of those of contexts.
  constructor(words, levels, random) {
    this.words = words;
    this.levels = levels;
    this.random = random;
    this.restaurants = new Map([[TOP, new Map()]]);
  }

  of(context) {
    if (!this.restaurants.has(context)) this.restaurants.set(context, new Map());
    return this.restaurants.get(context);
  }

  // Sizes of the tables of a word in a restaurant.
  tables(context, word) {
    return this.restaurants.get(context)?.get(word) ?? [];
  }

  counts(context) {
    let customers = 0;
    let tables = 0;
    for (const sizes of this.restaurants.get(context)?.values() ?? []) {
      tables += sizes.length;
      customers += total(sizes);
    }
    return { customers, tables };
  }

  level(context) {
    return this.levels[context === TOP ? 0 : 1];
  }

  above(context, word) {
    return context === TOP ? 1 / this.words.length : this.probability(TOP, word);
  }

  // The two parts of a prediction: from the word's own tables, and from the restaurant above.
  parts(context, word) {
    const { customers, tables } = this.counts(context);
    const parent = this.above(context, word);
    if (!customers) return { own: 0, backoff: parent };
    const [d, theta] = this.level(context);
    const sizes = this.tables(context, word);
    const own = (total(sizes) - d * sizes.length) / (customers + theta);
    return { own, backoff: ((theta + d * tables) / (customers + theta)) * parent };
  }

  probability(context, word) {
    const { own, backoff } = this.parts(context, word);
    return own + backoff;
  }

  add(context, word) {
    const [d, theta] = this.level(context);
    const { tables } = this.counts(context);
    const restaurant = this.of(context);
    if (!restaurant.has(word)) restaurant.set(word, []);
    const sizes = restaurant.get(word);
    const weights = [...sizes.map((size) => size - d), (theta + d * tables) * this.above(context, word)];
    const table = sizes.length ? choose(weights, this.random() * total(weights)) : 0;
    if (table < sizes.length) {
      sizes[table] += 1;
      return;
    }
    sizes.push(1);
    if (context !== TOP) this.add(TOP, word);
  }

  // One of the word's guests leaves, drawn by head; a table that is empty leaves the restaurant above.
  remove(context, word) {
    const sizes = this.of(context).get(word);
    const table = choose(sizes, this.random() * total(sizes));
    sizes[table] -= 1;
    if (sizes[table]) return;
    sizes.splice(table, 1);
    if (!sizes.length) this.of(context).delete(word);
    if (context !== TOP) this.remove(TOP, word);
  }

  sweep(events) {
    for (const [context, word] of events) {
      this.remove(context, word);
      this.add(context, word);
    }
  }
}

// The words of a text, and each with the word before it.
export function eventsOf(text) {
  const tokens = text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 60);
  const words = [...new Set(tokens)].sort();
  return { words, events: tokens.slice(1).map((word, i) => [tokens[i], word]) };
}

export function total(numbers) {
  return numbers.reduce((sum, n) => sum + n, 0);
}
