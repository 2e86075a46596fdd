import type { ConfigMistake } from "./config.ts";
import { fileKey, KEYS } from "./environment.server.ts";

/** Shorter names resemble many others (HOST, HOME), so only one edit is tolerated there. */
const LONG_NAME = 8;

/** Returns the variables whose names look like a misspelled key. Other unknown names belong to other programs. */
export function findSuggestions(env: Record<string, string | undefined>): ConfigMistake[] {
  const known = [...KEYS].flatMap(([name, description]) => (description.secret ? [name, fileKey(name)] : [name]));
  return Object.keys(env)
    .filter((name) => env[name] && !known.includes(name))
    .flatMap((name) => {
      const wrong = checkName(name, known);
      return wrong ? [{ key: name, ...wrong }] : [];
    });
}

function checkName(name: string, known: string[]): { wrong: string; expected: string } | null {
  const plain = [...KEYS.keys()].find((key) => fileKey(key) === name);
  if (plain) {
    return { wrong: "is not read: only secrets come from files", expected: `the value itself in ${plain}` };
  }
  const nearest = findNearest(name.toUpperCase(), known);
  return nearest ? { wrong: "is not read", expected: `did you mean ${nearest}?` } : null;
}

function findNearest(name: string, known: string[]): string | null {
  const near = known
    .map((key) => ({ key, distance: editDistance(name, key) }))
    .filter(({ key, distance }) => distance <= (key.length < LONG_NAME ? 1 : 2))
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.key ?? null;
}

/** Edit distance in which a transposition counts as one edit (optimal string alignment). */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) {
    return Number.POSITIVE_INFINITY;
  }
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
