import { LiveElement } from "./live-element.ts";

/** Wraps a password field, and adds the button that shows and hides the password. */
export class ShowPassword extends LiveElement {
  protected connect(signal: AbortSignal): void {
    const input = this.querySelector("input");
    if (!input || input.disabled) return;
    const button = this.createButton(signal, { className: "show", text: this.attribute("show-text") });
    button.setAttribute("aria-controls", input.id);
    button.setAttribute("aria-label", this.attribute("show-label"));
    input.after(button);
    const show = (isShown: boolean) => {
      showCharacters(this.querySelector("input"), isShown);
      button.textContent = this.attribute(isShown ? "hide-text" : "show-text");
      button.setAttribute("aria-label", this.attribute(isShown ? "hide-label" : "show-label"));
    };
    const toggle = () => {
      const isShown = this.querySelector("input")?.type === "password";
      show(isShown);
      this.querySelector("[aria-live]")?.replaceChildren(this.attribute(isShown ? "shown-status" : "hidden-status"));
    };
    button.addEventListener("click", toggle, { signal });
    // Hides the password before submission, because browsers store the values of text fields for autofill.
    this.closest("form")?.addEventListener("submit", () => show(false), { signal });
  }
}

function showCharacters(input: HTMLInputElement | null, isShown: boolean): void {
  if (!input) return;
  const { selectionStart, selectionEnd } = input;
  input.type = isShown ? "text" : "password";
  // Some browsers move the caret with the type. Restoring it unconditionally would move Safari's focus to the input.
  if (input.selectionStart !== selectionStart) input.setSelectionRange(selectionStart, selectionEnd);
}
