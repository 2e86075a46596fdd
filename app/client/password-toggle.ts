import * as attribute from "./attributes.ts";
import { createOnce } from "./each-page.ts";

const isNew = createOnce();

type Toggle = { button: HTMLElement; input: HTMLInputElement };

/** Reveals the show/hide buttons and adds their click handlers. */
export function enablePasswordToggles(): void {
  const buttons = [...document.querySelectorAll<HTMLElement>(`[${attribute.PASSWORD_TOGGLE}]`)].filter(isNew);
  const toggles = buttons.flatMap(findToggle);
  for (const toggle of toggles) {
    toggle.button.hidden = false;
    toggle.button.addEventListener("click", () => {
      const isShown = toggle.input.type === "password";
      show(toggle, isShown);
      announce(toggle, isShown);
    });
  }
  // Hides the passwords before submission, because browsers store the values of text fields for autofill.
  addEventListener("submit", () => {
    for (const toggle of toggles) show(toggle, false);
  });
}

function findToggle(button: HTMLElement): Toggle[] {
  const input = document.getElementById(button.getAttribute("aria-controls") ?? "");
  return input instanceof HTMLInputElement ? [{ button, input }] : [];
}

function show({ button, input }: Toggle, isShown: boolean): void {
  const { selectionStart, selectionEnd } = input;
  input.type = isShown ? "text" : "password";
  // Some browsers move the caret with the type. Restoring it unconditionally would move Safari's focus to the input.
  if (input.selectionStart !== selectionStart) input.setSelectionRange(selectionStart, selectionEnd);
  button.textContent = button.getAttribute(isShown ? attribute.TEXT_HIDE : attribute.TEXT_SHOW);
  button.setAttribute("aria-label", button.getAttribute(isShown ? attribute.LABEL_HIDE : attribute.LABEL_SHOW) ?? "");
}

function announce({ button, input }: Toggle, isShown: boolean): void {
  const status = document.getElementById(attribute.passwordStatusId(input.id));
  if (status) status.textContent = button.getAttribute(isShown ? attribute.STATUS_SHOWN : attribute.STATUS_HIDDEN);
}
