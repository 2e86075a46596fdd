import { expect, test } from "vitest";
import { startOfDay, startOfNextDay } from "#app/domain/base/zoned-day.ts";

test.each([
  ["2026-01-15", "Europe/Berlin", "2026-01-14T23:00:00.000Z"],
  ["2026-07-15", "Europe/Berlin", "2026-07-14T22:00:00.000Z"],
  ["2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00.000Z"],
  ["2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00.000Z"],
  ["2026-04-05", "Pacific/Auckland", "2026-04-04T11:00:00.000Z"],
  ["2026-11-01", "America/New_York", "2026-11-01T04:00:00.000Z"],
  // The clock change skips midnight there.
  ["2026-03-29", "Asia/Beirut", "2026-03-28T22:00:00.000Z"],
  ["2026-09-06", "America/Santiago", "2026-09-06T04:00:00.000Z"],
])("the day %s in %s starts at %s", (day, zone, start) => {
  expect(startOfDay(day, zone)?.toISOString()).toBe(start);
});

test("the next day starts where the day ends, on the day of a clock change too", () => {
  expect(startOfNextDay("2026-03-29", "Europe/Berlin")?.toISOString()).toBe("2026-03-29T22:00:00.000Z");
  expect(startOfNextDay("2026-12-31", "UTC")?.toISOString()).toBe("2027-01-01T00:00:00.000Z");
});

test.each(["2026-04-31", "2026-02-29", "26-1-1", "0026-11-28", "0000-01-01", "today", ""])("%j is no day", (day) => {
  expect([startOfDay(day, "UTC"), startOfNextDay(day, "UTC")]).toEqual([null, null]);
});
