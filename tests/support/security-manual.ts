import { readText } from "./source-tree.ts";

type Limit = { points: number; windowSeconds: number };

const UNIT_SECONDS: Readonly<Record<string, number>> = { minutes: 60, hours: 3600 };

/** Reads the limits in the row of docs/security.md that begins with `what`, such as "10 in 15 minutes" or "20 an hour". */
export function limitsInManual(what: string): Limit[] {
  const rows = readText("docs/security.md")
    .split("\n")
    .filter((line) => line.startsWith(`| ${what}`));
  const [row, ...others] = rows;
  if (row === undefined || others.length > 0) throw new Error(`${rows.length} rows begin with “${what}”`);
  return [...row.matchAll(/(\d+) (?:in )?(?:an hour|(\d+) (minutes|hours))/g)].map(
    ([, points, count, unit = "hours"]) => ({
      points: Number(points),
      windowSeconds: Number(count ?? 1) * (UNIT_SECONDS[unit] ?? Number.NaN),
    }),
  );
}
