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
    // Of most rules there is one wording, and it stands there.
    write(item.querySelector(`[${RULE_TEXT}]`), pageText(`rule-${rule}`));
    write(item.querySelector(`[${RULE_VERDICT}]`), pageText(met ? "rule-met" : "rule-not-met"));
  }
  const text = pageText("rules-summary", rules.filter(({ met }) => met).length);
  write(form.querySelector(`[${RULES_SUMMARY}]`), text);
  return text;
}

/** The rules that are not met, as the list words them. */
export function unmetRules(form: HTMLElement): string[] {
  const texts = form.querySelectorAll(`[${RULE}]:not([${RULE_MET}]) [${RULE_TEXT}]`);
  return [...texts].map((text) => text.textContent ?? "");
}

function write(place: Element | null, text: string): void {
  if (place && text !== "") place.textContent = text;
}
