import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { PasswordScore } from "#app/domain/password/strength.ts";

const WORDS = {
  0: "passwordMeter.0",
  1: "passwordMeter.1",
  2: "passwordMeter.2",
  3: "passwordMeter.3",
  4: "passwordMeter.4",
  5: "passwordMeter.5",
} as const satisfies Record<PasswordScore, string>;

/** Five bars and a word for the strength of the typed password, which the client script adds. */
export function StrengthMeter(): ReactNode {
  const { t } = useTranslation();
  const rated = ([1, 2, 3, 4, 5] as const).map((score) => [
    score,
    `${t(WORDS[score])}, ${t("passwordMeter.value", { score })}`,
  ]);
  const texts = { label: t("passwordMeter.label"), 0: t(WORDS[0]), ...Object.fromEntries(rated) };
  return <strength-meter texts={JSON.stringify(texts)} />;
}
