import { LiveElement } from "./live-element.ts";

/** Beside the password field `for`: shows `text` while the field has the focus and Caps Lock is on. */
export class CapsLockHint extends LiveElement {
  protected connect(signal: AbortSignal): void {
    const show = (isOn: boolean) => {
      this.textContent = isOn ? this.attribute("text") : "";
      this.hidden = !isOn;
    };
    const update = (event: Event) => {
      if (!(event.target instanceof Element) || event.target.id !== this.attribute("for")) return;
      const isKeyOrMouse = event instanceof KeyboardEvent || event instanceof MouseEvent;
      // Password managers dispatch other events with these names.
      if (event.type === "focusout") show(false);
      else if (isKeyOrMouse) show(event.getModifierState("CapsLock"));
    };
    for (const type of ["keydown", "keyup", "mousedown", "focusout"]) {
      this.parentElement?.addEventListener(type, update, { signal });
    }
  }
}
