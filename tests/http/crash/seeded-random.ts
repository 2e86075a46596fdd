/** Reproducible randomness: the same seed returns the same numbers. */
type SeededRandom = {
  seed: number;
  /** Returns an integer from 0 up to, but not including, `end`. */
  below(end: number): number;
};

/** Creates a mulberry32 generator; the seed is that of the run to repeat, or the current time. */
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
