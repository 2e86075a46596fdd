import { textsOf } from "#app/client/texts.ts";
import type { RuleResult } from "#app/domain/password/rules.ts";

/** The list of password rules. `<new-password>` updates it. */
export class PasswordRules extends HTMLElement {
  /** Updates the list; returns its summary. `results` must be in the order of the list. */
  show(results: readonly RuleResult[]): string {
    const text = textsOf(this);
    const items = this.querySelectorAll("li");
    for (const [index, { rule, met }] of results.entries()) {
      items[index]?.toggleAttribute("data-met", met);
      // Only the length rules have a second wording; an empty text changes nothing.
      write(items[index]?.querySelector(".rule-text"), text(rule));
      write(items[index]?.querySelector(".rule-state"), text(met ? "met" : "not-met"));
    }
    return this.showSummary();
  }

  /** Shows the number of displayed rules that are met; returns the text. */
  showSummary(): string {
    const summary = textsOf(this)("summary", this.querySelectorAll("li[data-met]").length);
    write(this.querySelector(".rules-summary"), summary);
    return summary;
  }

  /** Returns the displayed texts of the unmet rules. */
  unmet(): string[] {
    return [...this.querySelectorAll("li:not([data-met]) .rule-text")].map(({ textContent }) => textContent ?? "");
  }
}

function write(place: Element | null | undefined, text: string): void {
  if (place && text !== "") place.textContent = text;
}
