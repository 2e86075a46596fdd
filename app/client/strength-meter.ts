import { scorePassword } from "#app/domain/password/strength.ts";
import { METER_LEVEL, METER_TEXT } from "./attributes.ts";
import { pageText } from "./page-text.ts";

/** Updates the strength meter; returns its label and value as text. */
export function showStrength(form: HTMLElement, password: string): string {
  const meter = form.querySelector(`[${METER_LEVEL}]`);
  const shown = form.querySelector(`[${METER_TEXT}]`);
  const score = scorePassword(password);
  const text = pageText(`strength-${score}`);
  meter?.setAttribute(METER_LEVEL, String(score));
  meter?.setAttribute("aria-valuenow", String(score));
  meter?.setAttribute("aria-valuetext", text);
  if (shown) shown.textContent = text;
  const label = document.getElementById(meter?.getAttribute("aria-labelledby") ?? "");
  return `${label?.textContent}: ${text}`;
}
