import { textsOf } from "#app/client/texts.ts";
import { type PasswordScore, STRENGTH_LEVELS, scorePassword } from "#app/domain/password/strength.ts";

const TITLE_ID = "meter-title";

/** The strength of a new password: bars and a word. `<new-password>` updates it. */
export class StrengthMeter extends HTMLElement {
  private readonly word = document.createElement("span");
  private readonly meter = createMeter();

  connectedCallback(): void {
    const title = Object.assign(document.createElement("b"), { id: TITLE_ID, textContent: textsOf(this)("label") });
    const head = Object.assign(document.createElement("p"), { className: "rules-head" });
    head.append(title, this.word);
    const content = Object.assign(document.createElement("div"), { className: "pair" });
    content.append(head, this.meter);
    this.replaceChildren(content);
    this.showScore(0);
  }

  /** Updates the meter; returns its label and value as text. */
  show(password: string): string {
    const score = scorePassword(password);
    this.showScore(score);
    return `${textsOf(this)("label")}: ${this.word.textContent}`;
  }

  private showScore(score: PasswordScore): void {
    const text = textsOf(this)(String(score));
    this.meter.dataset["level"] = String(score);
    this.meter.setAttribute("aria-valuenow", String(score));
    this.meter.setAttribute("aria-valuetext", text);
    this.word.textContent = text;
  }
}

/** Returns the bars. Not a `<meter>`, which has one bar and looks different in each browser. */
function createMeter(): HTMLElement {
  const meter = Object.assign(document.createElement("div"), { className: "meter" });
  meter.setAttribute("role", "meter");
  meter.setAttribute("aria-labelledby", TITLE_ID);
  meter.setAttribute("aria-valuemin", "0");
  meter.setAttribute("aria-valuemax", String(STRENGTH_LEVELS));
  meter.append(...Array.from({ length: STRENGTH_LEVELS }, () => document.createElement("i")));
  return meter;
}
