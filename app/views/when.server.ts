import type { TFunction } from "i18next";
import type { Language } from "#app/i18n/language.ts";

/** What a time is told with. */
export type TimeTexts = { t: TFunction; language: Language; timeZone: string; now: Date };

/**
 * When something was, as a part of a sentence, in the office's time zone: "today at 11:42", "on 3 March 2026". Made on
 * the server alone: the browser's time zone may be another.
 */
export function whenText(at: Date, texts: TimeTexts): string {
  return lately(at, texts) ?? texts.t("common.timeOn", { date: dayText(at, texts) });
}

/** The same with the time of day, however long ago: "on 3 March 2026 at 11:42". */
export function momentText(at: Date, texts: TimeTexts): string {
  const dateAndTime = { date: dayText(at, texts), time: timeText(at, texts) };
  return lately(at, texts) ?? texts.t("common.timeOnAt", dateAndTime);
}

/** A day in the office's time zone: "3 March 2026". */
export function dayText(at: Date, texts: Pick<TimeTexts, "language" | "timeZone">): string {
  return format(at, texts, { dateStyle: "long" });
}

function lately(at: Date, texts: TimeTexts): string | null {
  const { t, now } = texts;
  const time = timeText(at, texts);
  const dayOf = (date: Date) => format(date, texts, { dateStyle: "short" });
  if (dayOf(at) === dayOf(now)) return t("common.timeToday", { time });
  if (dayOf(at) === dayOf(new Date(now.getTime() - DAY_MS))) return t("common.timeYesterday", { time });
  return null;
}

function timeText(at: Date, texts: Pick<TimeTexts, "language" | "timeZone">): string {
  return format(at, texts, { hour: "2-digit", minute: "2-digit" });
}

function format(
  at: Date,
  { language, timeZone }: Pick<TimeTexts, "language" | "timeZone">,
  parts: Intl.DateTimeFormatOptions,
): string {
  return new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, { ...parts, timeZone }).format(at);
}

const DAY_MS = 24 * 60 * 60 * 1000;
