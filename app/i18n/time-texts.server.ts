import type { TFunction } from "i18next";
import { DAY_MS } from "#app/durations.ts";
import { getInstance } from "./instance.server.ts";
import type { Language } from "./language.ts";

/** Parameters for formatting a time. */
export type TimeTexts = { t: TFunction; language: Language; timeZone: string; now: Date };

/**
 * Formats a time within a sentence, in the configured time zone: "today at 11:42", "on 3 March 2026". Must run on the
 * server, because the browser's time zone may differ.
 */
export function whenText(at: Date, texts: TimeTexts): string {
  const { t } = texts;
  const time = timeText(at, texts);
  const labels = { today: t("common.timeToday", { time }), yesterday: t("common.timeYesterday", { time }) };
  return recentDayText(at, texts, labels) ?? t("common.timeOn", { date: dayText(at, texts) });
}

/** Formats a day in the configured time zone: "3 March 2026". */
export function dayText(at: Date, texts: Pick<TimeTexts, "language" | "timeZone">): string {
  return format(at, texts, { dateStyle: "long" });
}

/**
 * Formats a day as a heading: "Today, Sunday 22 November", "Friday 20 November"; with the year if it is another one.
 */
export function dayHeading(at: Date, texts: TimeTexts): string {
  const { t } = texts;
  const year = (date: Date) => format(date, texts, { year: "numeric" });
  const day = format(at, texts, {
    ...{ weekday: "long", day: "numeric", month: "long" },
    ...(year(at) === year(texts.now) ? {} : { year: "numeric" }),
  });
  const labels = { today: t("common.dayToday", { day }), yesterday: t("common.dayYesterday", { day }) };
  return recentDayText(at, texts, labels) ?? day;
}

/** Formats a time for a list: "today, 11:42", "yesterday, 17:31", "3 March"; with the year if it is another one. */
export function listTimeText(at: Date, texts: TimeTexts): string {
  const { t } = texts;
  const time = timeText(at, texts);
  const labels = { today: t("admin.timeToday", { time }), yesterday: t("admin.timeYesterday", { time }) };
  return recentDayText(at, texts, labels) ?? listDayText(at, texts);
}

/** Formats a day for a list: "3 March"; with the year if it is another one. */
export function listDayText(at: Date, texts: Pick<TimeTexts, "language" | "timeZone" | "now">): string {
  const year = (date: Date) => format(date, texts, { year: "numeric" });
  const day = { day: "numeric", month: "long" } as const;
  return format(at, texts, year(at) === year(texts.now) ? day : { ...day, year: "numeric" });
}

/** Formats a day of the coming week by its name: "today", "Friday"; a later one like `listDayText`. */
export function untilDayText(at: Date, texts: TimeTexts): string {
  if (at.getTime() - texts.now.getTime() > 6.5 * DAY_MS) return listDayText(at, texts);
  const today = texts.t("admin.today");
  return recentDayText(at, texts, { today, yesterday: today }) ?? format(at, texts, { weekday: "long" });
}

/** Formats a date with time in the configured time zone, which people of one office share: "3 March 2026 at 11:42". */
export function exactTimeText(at: Date, texts: Pick<TimeTexts, "language" | "timeZone">): string {
  return format(at, texts, EXACT);
}

/** Formats a time like `exactTimeText`, after the day of the week: "Tuesday, 3 March 2026 at 11:42". */
export function momentText(at: Date, texts: Pick<TimeTexts, "language" | "timeZone">): string {
  return format(at, texts, { weekday: "long", ...EXACT });
}

/** Formats a time like `exactTimeText` with seconds, for names that have to differ: "3 March 2026 at 11:42:07". */
export function distinctTimeText(at: Date, texts: Pick<TimeTexts, "language" | "timeZone">): string {
  return format(at, texts, { ...EXACT, second: "2-digit" });
}

const EXACT = {
  ...{ day: "numeric", month: "long", year: "numeric" },
  ...{ hour: "2-digit", minute: "2-digit" },
} as const satisfies Intl.DateTimeFormatOptions;

function recentDayText(at: Date, texts: TimeTexts, labels: { today: string; yesterday: string }): string | null {
  const dayOf = (date: Date) => format(date, texts, { dateStyle: "short" });
  if (dayOf(at) === dayOf(texts.now)) return labels.today;
  return dayOf(at) === dayOf(new Date(texts.now.getTime() - DAY_MS)) ? labels.yesterday : null;
}

/** Formats the time of day in the configured time zone: "11:42". */
export function timeText(at: Date, texts: Pick<TimeTexts, "language" | "timeZone">): string {
  return format(at, texts, { hour: "2-digit", minute: "2-digit" });
}

/** Formats a time; a line never breaks between the day and the month, or after the minute. */
function format(
  at: Date,
  { language, timeZone }: Pick<TimeTexts, "language" | "timeZone">,
  parts: Intl.DateTimeFormatOptions,
): string {
  const locale = getInstance(language).t("common.dateLocale");
  const formatted = new Intl.DateTimeFormat(locale, { ...parts, timeZone }).formatToParts(at);
  const isBoundTo = (type: string | undefined) => type === "day" || type === "minute";
  return formatted
    .map(({ value }, index) => (isBoundTo(formatted[index - 1]?.type) ? value.replaceAll(" ", "\u00a0") : value))
    .join("");
}
