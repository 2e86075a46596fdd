import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { METER_LEVEL, METER_TEXT, SCRIPT_ONLY } from "#app/client/attributes.ts";
import { type PasswordScore, STRENGTH_LEVELS } from "#app/domain/password/strength.ts";
import { ScriptTexts } from "./script-texts.tsx";

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
    `strength-${score}`,
    `${t(WORDS[score])}, ${t("passwordMeter.value", { score })}`,
  ]);
  return (
    <div className="pair" hidden {...{ [SCRIPT_ONLY]: "" }}>
      <p className="rules-head">
        <b id="meter-title">{t("passwordMeter.label")}</b>
        <span {...{ [METER_TEXT]: "" }}>{t(WORDS[0])}</span>
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
        {...{ [METER_LEVEL]: 0 }}
      >
        <i />
        <i />
        <i />
        <i />
        <i />
      </div>
      <ScriptTexts texts={{ "strength-0": t(WORDS[0]), ...Object.fromEntries(rated) }} />
    </div>
  );
}
