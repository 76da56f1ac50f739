// Random numbers that a seed decides, so that an address shows the same evening on every machine.

// A stream named by a seed and a purpose (mulberry32 over a hash of both).
export function stream(seed, purpose) {
  let state = hash(`${seed} ${purpose}`);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function hash(text) {
  let value = 2166136261;
  for (const letter of text) value = Math.imul(value ^ letter.codePointAt(0), 16777619);
  value = Math.imul(value ^ (value >>> 16), 2246822507);
  value = Math.imul(value ^ (value >>> 13), 3266489909);
  return value ^ (value >>> 16);
}

// The place of u, which lies between 0 and the sum of the weights.
export function choose(weights, u) {
  let sum = 0;
  for (let i = 0; i < weights.length; i += 1) {
    sum += weights[i];
    if (u < sum) return i;
  }
  return weights.length - 1;
}
