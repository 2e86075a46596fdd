/**
 * Base of the custom elements in this folder. The server renders their content as complete markup that works without
 * JavaScript; the element adds behaviour to it, wherever and whenever it is inserted into a page. What needs the script
 * is rendered `hidden`. Texts come from attributes, so the script contains none.
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

  /** Reveals the content that needs the script and adds listeners, which end with `signal`. */
  protected abstract connect(signal: AbortSignal): void;

  /** Returns the value of an attribute; "" if it is missing. */
  protected attribute(name: string): string {
    return this.getAttribute(name) ?? "";
  }
}
