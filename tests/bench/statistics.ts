/** The middle value; of an even number of values the mean of the two in the middle. Throws for no values at all. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.ceil((sorted.length - 1) / 2)];
  if (low === undefined || high === undefined) throw new Error("There is no median of nothing.");
  return (low + high) / 2;
}

/** Several values of one thing, in the order they were measured. */
export type Series = { median: number; min: number; max: number; values: readonly number[] };

export function series(values: readonly number[]): Series {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values), values };
}

/** Ours divided by the reference, turn by turn: what slows the machine down slows both turns of a round. */
export function ratios(ours: readonly number[], reference: readonly number[]): Series {
  return series(ours.map((value, turn) => value / (reference[turn] ?? Number.NaN)));
}
