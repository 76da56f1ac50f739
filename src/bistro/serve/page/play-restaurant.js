// One Chinese restaurant: guests sit down one by one, and what theory says of their tables.
//
//   p(join table k) = (c_k - d) / (n + θ)        p(new table) = (θ + d t) / (n + θ)

// Seats guests one after the other; the first ones of an evening are the same however many come.
export function seatGuests(guests, discount, strength, random) {
  const sizes = [];
  const tableOf = new Int32Array(guests);
  const tables = new Int32Array(guests);
  for (let n = 0; n < guests; n += 1) {
    let u = random() * (n + strength);
    let k = 0;
    while (k < sizes.length && u >= sizes[k] - discount) {
      u -= sizes[k] - discount;
      k += 1;
    }
    if (n === 0) k = 0;
    if (k === sizes.length) sizes.push(0);
    sizes[k] += 1;
    tableOf[n] = k;
    tables[n] = sizes.length;
  }
  return { sizes, tableOf, tables };
}

// The expected number of tables after 1, 2, ..., n guests, exactly: each guest opens one with probability
// (θ + d t) / (n + θ), which is linear in t.
export function expectedTables(guests, discount, strength) {
  const expected = new Float64Array(guests);
  let now = 0;
  for (let n = 0; n < guests; n += 1) {
    now += n === 0 ? 1 : (strength + discount * now) / (n + strength);
    expected[n] = now;
  }
  return expected;
}

// What the expected number of tables approaches: a power of n with d > 0, a logarithm with d = 0.
export function asymptote(n, discount, strength) {
  if (discount > 0) {
    const log = logGamma(strength + 1) - logGamma(strength + discount) - Math.log(discount);
    return Math.exp(log + discount * Math.log(n));
  }
  return strength > 0 ? strength * Math.log1p(n / strength) : 1;
}

// The expected number of tables of each size from 1 to n, exactly.
export function expectedSizes(guests, discount, strength) {
  const expected = new Float64Array(guests + 1);
  for (let j = 1; j <= guests; j += 1) {
    const others = guests - j;
    if (strength + discount === 0 && others > 0) continue;
    const ways = logGamma(guests + 1) - logGamma(j + 1) - logGamma(others + 1);
    const log = ways + logRising(1 - discount, j - 1) + logRising(strength + discount, others);
    expected[j] = Math.exp(log - logRising(strength + 1, guests - 1));
  }
  return expected;
}

// log p(seating | d, θ).
export function logLikelihood(sizes, discount, strength) {
  let log = 0;
  let guests = 0;
  sizes.forEach((size, k) => {
    if (k > 0) log += Math.log(strength + k * discount);
    log += logRising(1 - discount, size - 1);
    guests += size;
  });
  return log - logRising(strength + 1, guests - 1);
}

// The posterior of (d, θ) given a seating on a grid: d ~ Beta(1, 1), θ ~ Gamma(1, 1). Rows by d; they sum to 1.
export function posteriorGrid(sizes, discounts, strengths) {
  const logs = discounts.map((d) => strengths.map((theta) => logLikelihood(sizes, d, theta) - theta));
  const top = Math.max(...logs.flat());
  const rows = logs.map((row) => row.map((log) => Math.exp(log - top)));
  const sum = rows.flat().reduce((a, b) => a + b, 0);
  return rows.map((row) => row.map((p) => p / sum));
}

export function logRising(x, k) {
  if (k <= 0) return 0;
  if (k < 20) {
    let product = 0;
    for (let i = 0; i < k; i += 1) product += Math.log(x + i);
    return product;
  }
  return logGamma(x + k) - logGamma(x);
}

// Stirling's series, after the argument is raised above 8.
export function logGamma(x) {
  let shift = 0;
  let y = x;
  for (; y < 8; y += 1) shift += Math.log(y);
  const inverse = 1 / (y * y);
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / y;
  return (y - 0.5) * Math.log(y) - y + 0.5 * Math.log(2 * Math.PI) + series - shift;
}
