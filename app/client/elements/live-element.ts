/**
 * Base of the custom elements in this folder. The server renders their content as complete markup that works without
 * JavaScript; the element adds behaviour to it, wherever and whenever it is inserted into a page. The element creates
 * what only the script can work, because text browsers show `hidden` elements. Texts come from attributes, so the
 * script contains none.
 */
export abstract class LiveElement extends HTMLElement {
  private connection: AbortController | null = null;

  connectedCallback(): void {
    this.connection = new AbortController();
    this.connect(this.connection.signal);
  }

  disconnectedCallback(): void {
    this.connection?.abort();
  }

  /** Creates the content that needs the script and adds listeners; both end with `signal`. */
  protected abstract connect(signal: AbortSignal): void;

  /** Creates a button; the caller inserts it. It is removed with `signal`. */
  protected createButton(
    signal: AbortSignal,
    { className, text }: { className: string; text: string },
  ): HTMLButtonElement {
    const button = Object.assign(document.createElement("button"), { type: "button", className, textContent: text });
    signal.addEventListener("abort", () => button.remove());
    return button;
  }

  /** Returns the value of an attribute; "" if it is missing. */
  protected attribute(name: string): string {
    return this.getAttribute(name) ?? "";
  }
}
