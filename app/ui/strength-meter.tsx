import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { type PasswordScore, STRENGTH_LEVELS } from "#app/domain/password/strength.ts";

const WORDS = {
  0: "passwordMeter.0",
  1: "passwordMeter.1",
  2: "passwordMeter.2",
  3: "passwordMeter.3",
  4: "passwordMeter.4",
  5: "passwordMeter.5",
} as const satisfies Record<PasswordScore, string>;

/** Five bars and a word for the strength of the typed password. Hidden until the client script reveals it. */
export function StrengthMeter(): ReactNode {
  const { t } = useTranslation();
  const rated = ([1, 2, 3, 4, 5] as const).map((score) => [
    score,
    `${t(WORDS[score])}, ${t("passwordMeter.value", { score })}`,
  ]);
  return (
    <strength-meter texts={JSON.stringify({ 0: t(WORDS[0]), ...Object.fromEntries(rated) })}>
      <div className="live pair" hidden>
        <p className="rules-head">
          <b id="meter-title">{t("passwordMeter.label")}</b>
          <span>{t(WORDS[0])}</span>
        </p>
        {/* biome-ignore lint/a11y/useSemanticElements: a <meter> has one bar and looks different in each browser. */}
        <div
          className="meter"
          role="meter"
          aria-labelledby="meter-title"
          aria-valuemin={0}
          aria-valuemax={STRENGTH_LEVELS}
          aria-valuenow={0}
          aria-valuetext={t(WORDS[0])}
          data-level={0}
        >
          <i />
          <i />
          <i />
          <i />
          <i />
        </div>
      </div>
    </strength-meter>
  );
}
