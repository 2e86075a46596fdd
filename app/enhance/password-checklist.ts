import type { RuleVerdict } from "#app/domain/password/rules.ts";
import { RULE, RULE_MET, RULE_TEXT, RULE_VERDICT, RULES_SUMMARY } from "./attributes.ts";
import { pageText } from "./page-text.ts";

/** Shows which rules are met; answers how many, in words. The verdicts stand in the order of the list. */
export function showRules(form: HTMLElement, rules: readonly RuleVerdict[]): string {
  const items = form.querySelectorAll<HTMLElement>(`[${RULE}]`);
  for (const [index, { rule, met }] of rules.entries()) {
    const item = items[index];
    if (!item) continue;
    item.toggleAttribute(RULE_MET, met);
    for (const text of item.querySelectorAll<HTMLElement>(`[${RULE_TEXT}]`)) {
      text.hidden = text.getAttribute(RULE_TEXT) !== rule;
    }
    const verdict = item.querySelector(`[${RULE_VERDICT}]`);
    if (verdict) verdict.textContent = pageText(met ? "rule-met" : "rule-not-met");
  }
  const text = pageText("rules-summary", rules.filter(({ met }) => met).length);
  const summary = form.querySelector(`[${RULES_SUMMARY}]`);
  if (summary) summary.textContent = text;
  return text;
}

/** The rules that are not met, as the list words them. */
export function unmetRules(form: HTMLElement): string[] {
  const texts = form.querySelectorAll(`[${RULE}]:not([${RULE_MET}]) [${RULE_TEXT}]:not([hidden])`);
  return [...texts].map((text) => text.textContent ?? "");
}
