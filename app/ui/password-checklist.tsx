import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { NUMBER_MARK } from "#app/client/texts.ts";
import {
  PASSWORD_MAX_LENGTH,
  PASSWORD_MIN_LENGTH,
  PASSWORD_RULES,
  type PasswordRule,
  type RuleResult,
} from "#app/domain/password/rules.ts";

const TEXTS = {
  length: "passwordRules.minLength",
  maxLength: "passwordRules.maxLength",
  lower: "passwordRules.lower",
  upper: "passwordRules.upper",
  digit: "passwordRules.digit",
  equal: "passwordRules.equal",
} as const satisfies Record<PasswordRule, string>;

/** The password rules with their results for the refused password, if any. Updated by the client script. */
export function PasswordChecklist({ id, rules }: { id: string; rules: readonly RuleResult[] }): ReactNode {
  const { t } = useTranslation();
  const met = rules.filter((result) => result.met).length;
  const total = PASSWORD_RULES.length;
  const isRejected = rules.length > 0;
  const texts = {
    length: ruleText(t, "length"),
    maxLength: ruleText(t, "maxLength"),
    met: t("passwordRules.met"),
    "not-met": t("passwordRules.notMet"),
    summary: t("passwordRules.summary", { met: NUMBER_MARK, total }),
  };
  return (
    <password-rules texts={JSON.stringify(texts)}>
      <section className="rules pair" id={id} aria-labelledby="rules-title">
        <div className="rules-head">
          <h2 id="rules-title">{t("passwordRules.heading")}</h2>
          {/* Empty until a password is rejected or the script counts the rules. */}
          <p className="rules-summary note">{isRejected ? t("passwordRules.summary", { met, total }) : null}</p>
        </div>
        <ul className="pair">
          {PASSWORD_RULES.map((rule) => (
            <RuleItem key={rule} rule={rule} result={rules.find((result) => itemOf(result.rule) === rule)} />
          ))}
        </ul>
      </section>
    </password-rules>
  );
}

type RuleItemProps = { rule: (typeof PASSWORD_RULES)[number]; result: RuleResult | undefined };

function RuleItem({ rule, result }: RuleItemProps): ReactNode {
  const { t } = useTranslation();
  const met = result?.met ?? false;
  return (
    <li className="rule" data-met={met ? "" : undefined}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="8.5" />
        <path d="m6 10.5 2.7 2.7L14 7.5" />
      </svg>
      <span>
        <span className="rule-text">{ruleText(t, result?.rule ?? rule)}</span>
        {/* In brackets, because screen readers read a space before hidden text. */}
        <span className="visually-hidden">
          {" ("}
          <span className="rule-state">{met ? t("passwordRules.met") : t("passwordRules.notMet")}</span>
          {")"}
        </span>
      </span>
    </li>
  );
}

function ruleText(t: TFunction, rule: PasswordRule): string {
  return t(TEXTS[rule], { minLength: PASSWORD_MIN_LENGTH, maxLength: PASSWORD_MAX_LENGTH });
}

/** Maps both length rules to one item of the list. */
function itemOf(rule: PasswordRule): PasswordRule {
  return rule === "maxLength" ? "length" : rule;
}
