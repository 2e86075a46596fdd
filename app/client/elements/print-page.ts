import { LiveElement } from "./live-element.ts";

/** Adds a button that prints the page, in place of the hint for browsers without scripts. */
export class PrintPage extends LiveElement {
  protected connect(signal: AbortSignal): void {
    for (const hint of this.querySelectorAll<HTMLElement>(".no-script")) hint.hidden = true;
    const button = this.createButton(signal, { className: "button quiet", text: this.attribute("label") });
    button.addEventListener("click", () => print(), { signal });
    this.append(button);
  }
}
