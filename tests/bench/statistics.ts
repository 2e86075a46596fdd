/** Median and quartiles of a series. */
export type Spread = { median: number; low: number; high: number };

/** Returns the median; for an even number of values the mean of the two in the middle. Throws without values. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns median and quartiles. Extremes are omitted, because other load on the machine causes them. */
export function spread(values: readonly number[]): Spread {
  return { median: median(values), low: quantile(values, 0.25), high: quantile(values, 0.75) };
}

/** Returns the spread of our values divided by the reference, per round, so that other load affects both. */
export function ratios(ours: readonly number[], reference: readonly number[]): Spread {
  return spread(ours.map((value, round) => value / (reference[round] ?? Number.NaN)));
}

/** Returns a quantile with linear interpolation. Throws without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  if (low === undefined || high === undefined) throw new Error("no values to compute a quantile of");
  return low + (high - low) * (at - Math.floor(at));
}
