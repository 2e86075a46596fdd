import distance from "damerau-levenshtein";
import type { ConfigMistake } from "./config.ts";
import { fileKey, KEYS } from "./environment.server.ts";

const MAX_EDITS = 2;

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
  if (plain) return { wrong: "is ignored: only secrets can be read from files", expected: `the value in ${plain}` };
  const nearest = findNearest(name.toUpperCase(), known);
  return nearest ? { wrong: "is ignored", expected: `did you mean ${nearest}?` } : null;
}

/** A transposition counts as one edit. */
function findNearest(name: string, known: string[]): string | null {
  const near = known
    .filter((key) => Math.abs(key.length - name.length) <= MAX_EDITS)
    .map((key) => ({ key, edits: distance(name, key).steps }))
    .filter(({ key, edits }) => edits <= (key.length < LONG_NAME ? 1 : MAX_EDITS))
    .sort((a, b) => a.edits - b.edits);
  return near[0]?.key ?? null;
}
