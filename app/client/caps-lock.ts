import { CAPS_LOCK_TEXT, capsLockHintId } from "./attributes.ts";
import { createOnce } from "./each-page.ts";

const isNew = createOnce();

/** Shows a hint below a focused password field while Caps Lock is on. Updated by key and mouse events. */
export function watchCapsLock(): void {
  for (const input of document.querySelectorAll<HTMLInputElement>(`[${CAPS_LOCK_TEXT}]`)) {
    const hint = document.getElementById(capsLockHintId(input.id));
    if (!hint || !isNew(input)) continue;
    const update = (event: KeyboardEvent | MouseEvent) => {
      // Password managers dispatch key events without getModifierState.
      if (event.getModifierState) tell(input, hint, event.getModifierState("CapsLock"));
    };
    input.addEventListener("keydown", update);
    input.addEventListener("keyup", update);
    input.addEventListener("mousedown", update);
    input.addEventListener("blur", () => tell(input, hint, false));
  }
}

function tell(input: HTMLInputElement, hint: HTMLElement, isOn: boolean): void {
  hint.textContent = isOn ? input.getAttribute(CAPS_LOCK_TEXT) : "";
  hint.hidden = !isOn;
}
