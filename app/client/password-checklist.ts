import type { RuleResult } from "#app/domain/password/rules.ts";
import { RULE, RULE_MET, RULE_TEXT, RULE_VERDICT, RULES_SUMMARY } from "./attributes.ts";
import { pageText } from "./page-text.ts";

/** Updates the checklist; returns the summary text. `rules` must be in the order of the list. */
export function showRules(form: HTMLElement, rules: readonly RuleResult[]): string {
  const items = form.querySelectorAll<HTMLElement>(`[${RULE}]`);
  for (const [index, { rule, met }] of rules.entries()) {
    const item = items[index];
    if (!item) continue;
    item.toggleAttribute(RULE_MET, met);
    // Only the length rules have a second wording; an empty text changes nothing.
    write(item.querySelector(`[${RULE_TEXT}]`), pageText(`rule-${rule}`));
    write(item.querySelector(`[${RULE_VERDICT}]`), pageText(met ? "rule-met" : "rule-not-met"));
  }
  const text = pageText("rules-summary", rules.filter(({ met }) => met).length);
  write(form.querySelector(`[${RULES_SUMMARY}]`), text);
  return text;
}

/** Returns the displayed texts of the unmet rules. */
export function unmetRules(form: HTMLElement): string[] {
  const texts = form.querySelectorAll(`[${RULE}]:not([${RULE_MET}]) [${RULE_TEXT}]`);
  return [...texts].map((text) => text.textContent ?? "");
}

function write(place: Element | null, text: string): void {
  if (place && text !== "") place.textContent = text;
}
