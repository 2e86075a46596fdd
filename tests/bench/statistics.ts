/** How several values of one thing lie: the middle one, and the borders of the middle half. */
export type Spread = { median: number; low: number; high: number };

/** The middle value; of an even number of values the mean of the two in the middle. Throws for no values at all. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Where the values lie. The extremes are left out: on a busy machine they tell of the others. */
export function spread(values: readonly number[]): Spread {
  return { median: median(values), low: quantile(values, 0.25), high: quantile(values, 0.75) };
}

/** Ours divided by the reference, turn by turn: what slows the machine down slows both turns of a round. */
export function ratios(ours: readonly number[], reference: readonly number[]): Spread {
  return spread(ours.map((value, turn) => value / (reference[turn] ?? Number.NaN)));
}

/** The value that this share of the values does not pass, between two of them in proportion. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  if (low === undefined || high === undefined) throw new Error("There is no middle of nothing.");
  return low + (high - low) * (at - Math.floor(at));
}
