import { LiveElement } from "./live-element.ts";

/** Wraps the button that prints the page, and the hint for browsers without it. */
export class PrintPage extends LiveElement {
  protected connect(signal: AbortSignal): void {
    const button = this.querySelector("button");
    if (!button) return;
    for (const hint of this.querySelectorAll<HTMLElement>(".no-script")) hint.hidden = true;
    button.hidden = false;
    button.addEventListener("click", () => print(), { signal });
  }
}
