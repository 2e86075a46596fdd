/** Numbers of servers, processes, browsers and sign-ins of a test file, for `npm test -- --timings`. */
export type Counts = {
  /** Servers in the test's process. */
  servers: number;
  /** Processes of the built program: servers and commands. */
  processes: number;
  browsers: number;
  /** Submitted sign-in forms, from pages and over HTTP. */
  signIns: number;
};

const none = (): Counts => ({ servers: 0, processes: 0, browsers: 0, signIns: 0 });

let counts = none();

/** Counts from zero for a test file, in the returned object. */
export function startCounting(): Counts {
  counts = none();
  return counts;
}

export function count(kind: keyof Counts, times = 1): void {
  counts[kind] += times;
}
