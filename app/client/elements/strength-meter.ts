import { textsOf } from "#app/client/texts.ts";
import { scorePassword } from "#app/domain/password/strength.ts";

/** The strength of a new password: bars and a word. `<new-password>` updates it. */
export class StrengthMeter extends HTMLElement {
  /** Updates the meter; returns its label and value as text. */
  show(password: string): string {
    const score = scorePassword(password);
    const text = textsOf(this)(String(score));
    const meter = this.querySelector(".meter");
    meter?.setAttribute("data-level", String(score));
    meter?.setAttribute("aria-valuenow", String(score));
    meter?.setAttribute("aria-valuetext", text);
    const word = this.querySelector("span");
    if (word) word.textContent = text;
    return `${this.querySelector("b")?.textContent}: ${text}`;
  }
}
