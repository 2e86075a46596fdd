import type { TFunction } from "i18next";
import type { Language } from "#app/i18n/language.ts";

/** What a time is told with. */
export type TimeTexts = { t: TFunction; language: Language; timeZone: string; now: Date };

/**
 * When something was, as a part of a sentence, in the office's time zone: "today at 11:42", "on 3 March 2026". Made on
 * the server alone: the browser's time zone may be another.
 */
export function whenText(at: Date, { t, language, timeZone, now }: TimeTexts): string {
  const format = (date: Date, parts: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(localeOf(language), { ...parts, timeZone }).format(date);
  const time = format(at, { hour: "2-digit", minute: "2-digit" });
  const dayOf = (date: Date) => format(date, { dateStyle: "short" });
  if (dayOf(at) === dayOf(now)) return t("common.timeToday", { time });
  if (dayOf(at) === dayOf(new Date(now.getTime() - DAY_MS))) return t("common.timeYesterday", { time });
  return t("common.timeOn", { date: dayText(at, { language, timeZone }) });
}

/** A day in the office's time zone: "3 March 2026". */
export function dayText(at: Date, { language, timeZone }: Pick<TimeTexts, "language" | "timeZone">): string {
  return new Intl.DateTimeFormat(localeOf(language), { dateStyle: "long", timeZone }).format(at);
}

function localeOf(language: Language): string {
  return language === "en" ? "en-GB" : language;
}

const DAY_MS = 24 * 60 * 60 * 1000;
