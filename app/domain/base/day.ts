import { z } from "zod";

/** Schema of a day of the calendar, as YYYY-MM-DD. */
export const daySchema = z.iso.date();

/** Returns the day of a time in a time zone, as YYYY-MM-DD, which sorts as text. */
export function dayOf(at: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  const named = new Map(parts.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${named.get("year")}-${named.get("month")}-${named.get("day")}`;
}

/** Returns a time in the middle of a day, in UTC: with the time zone UTC, it is formatted as this day. */
export function noonOf(day: string): Date {
  return new Date(`${day}T12:00:00Z`);
}
