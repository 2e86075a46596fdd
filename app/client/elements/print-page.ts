import { LiveElement } from "./live-element.ts";

/** Wraps the button that prints the page. */
export class PrintPage extends LiveElement {
  protected connect(signal: AbortSignal): void {
    const button = this.querySelector("button");
    if (!button) return;
    button.hidden = false;
    button.addEventListener("click", () => print(), { signal });
  }
}
