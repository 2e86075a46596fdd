import { InvalidArgumentError } from "commander";
import { z } from "zod";

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const AGE = /^(\d{1,6})([mhdw])$/;
const moment = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** A time as it is typed: how long ago (30m, 24h, 7d, 4w), a day (UTC), or a time with its zone. */
export type Since = { agoMs: number } | { at: Date };

/** Reads what is typed after --since. Throws commander's InvalidArgumentError. */
export function parseSince(text: string): Since {
  const [, count, unit] = AGE.exec(text) ?? [];
  if (count && isUnit(unit)) return { agoMs: Number(count) * UNIT_MS[unit] };
  if (moment.safeParse(text).success) return { at: new Date(text) };
  throw new InvalidArgumentError("Say 30m, 24h, 7d or 4w, a day such as 2026-03-01, or 2026-03-01T09:00:00Z.");
}

/** The time that is meant now. */
export function momentOf(since: Since, now: Date): Date {
  return "at" in since ? since.at : new Date(now.getTime() - since.agoMs);
}

function isUnit(text: string | undefined): text is keyof typeof UNIT_MS {
  return text !== undefined && Object.hasOwn(UNIT_MS, text);
}
