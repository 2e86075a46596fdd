import { DAY_MS } from "#app/durations.ts";

/**
 * Matches a day as `YYYY-MM-DD`, as the input type "date" sends it. Years before 1000 are typing errors: JavaScript takes
 * those before 100 for the 20th century, and PostgreSQL has no year 0.
 */
export const DAY_PATTERN = /^[1-9]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/**
 * Returns the first instant of a day (`YYYY-MM-DD`) in a time zone. Where a clock change skips midnight, it is the first
 * instant after it. Returns null for a day that does not exist, such as 31 April.
 */
export function startOfDay(day: string, timeZone: string): Date | null {
  const midnightMs = Date.parse(`${day}T00:00:00Z`);
  if (!DAY_PATTERN.test(day) || Number.isNaN(midnightMs)) return null;
  if (new Date(midnightMs).toISOString().slice(0, 10) !== day) return null;
  const guess = midnightMs - offsetMs(new Date(midnightMs), timeZone);
  // On the day of a clock change, the offset at the guess may differ.
  const corrected = new Date(midnightMs - offsetMs(new Date(guess), timeZone));
  return dayAt(corrected, timeZone) === day ? corrected : new Date(guess);
}

/** Returns the first instant of the next day; null for a day that does not exist. */
export function startOfNextDay(day: string, timeZone: string): Date | null {
  if (startOfDay(day, timeZone) === null) return null;
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS);
  return startOfDay(next.toISOString().slice(0, 10), timeZone);
}

function dayAt(at: Date, timeZone: string): string {
  return new Date(at.getTime() + offsetMs(at, timeZone)).toISOString().slice(0, 10);
}

/** Returns the offset of the time zone from UTC at this time, in milliseconds. */
function offsetMs(at: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-GB", {
    ...{ timeZone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit" },
    ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
  }).formatToParts(at);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
  return local - Math.floor(at.getTime() / 1000) * 1000;
}
