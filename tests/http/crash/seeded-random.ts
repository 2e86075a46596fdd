/** Chance that can be had again: the same seed gives the same numbers. */
export type SeededRandom = {
  seed: number;
  /** A whole number from 0 up to, and without, `end`. */
  below(end: number): number;
};

/** The generator mulberry32. `seed`: of the run that is to be had again, else one of the clock. */
export function createSeededRandom(seed = Date.now() % 2 ** 32): SeededRandom {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return { seed, below: (end) => Math.floor(next() * end) };
}
