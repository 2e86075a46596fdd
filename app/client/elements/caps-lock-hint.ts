import { pressEnded } from "#app/client/press.ts";
import { LiveElement } from "./live-element.ts";

/**
 * Below the password field `for`: shows `text` while the field has the focus and Caps Lock is on. Once shown, it keeps
 * its place, so that leaving the field moves nothing.
 */
export class CapsLockHint extends LiveElement {
  protected connect(signal: AbortSignal): void {
    let isOn = false;
    const show = () => {
      this.textContent = isOn ? this.attribute("text") : "";
      if (!isOn) return;
      this.hidden = false;
      this.style.minBlockSize = `${this.offsetHeight}px`;
    };
    const update = (event: Event) => {
      if (!(event.target instanceof Element) || event.target.id !== this.attribute("for")) return;
      const isKeyOrMouse = event instanceof KeyboardEvent || event instanceof MouseEvent;
      // Password managers dispatch other events with these names.
      if (event.type !== "focusout" && !isKeyOrMouse) return;
      isOn = isKeyOrMouse && event.getModifierState("CapsLock");
      // A press in the field comes before the hint has a place.
      if (isOn) void pressEnded().then(show);
      else show();
    };
    for (const type of ["keydown", "keyup", "mousedown", "focusout"]) {
      this.parentElement?.addEventListener(type, update, { signal });
    }
  }
}
