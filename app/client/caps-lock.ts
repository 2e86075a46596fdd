import { CAPS_LOCK_TEXT, capsLockHintId } from "./attributes.ts";
import { createOnce } from "./each-page.ts";

const isNew = createOnce();

/** Says below a focused password field that Caps Lock is on; says it with every key and click, until the field is left. */
export function watchCapsLock(): void {
  for (const input of document.querySelectorAll<HTMLInputElement>(`[${CAPS_LOCK_TEXT}]`)) {
    const hint = document.getElementById(capsLockHintId(input.id));
    if (!hint || !isNew(input)) continue;
    const update = (event: KeyboardEvent | MouseEvent) => {
      // A password manager fills fields with key events that know no modifiers.
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
