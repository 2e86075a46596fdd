import { expect, test } from "vitest";
import { dayText, exactTimeText } from "#app/i18n/time-texts.server.ts";

const AT = new Date("2026-11-24T16:55:00Z");

test.each([
  ["de", "24.\u00a0November 2026", "24.\u00a0November 2026 um 17:55"],
  ["en", "24\u00a0November 2026", "24\u00a0November 2026 at 17:55"],
] as const)(
  "in dates of pages, the day stays with the month without the name of the time zone (%s)",
  (language, day, time) => {
    const place = { language, timeZone: "Europe/Berlin" };
    expect(dayText(AT, place)).toBe(day);
    expect(exactTimeText(AT, place)).toBe(time);
  },
);
