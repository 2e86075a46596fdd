import { DAY_SECONDS } from "#app/durations.ts";
import { LiveElement } from "./live-element.ts";

/** Cookie set when the tips are hidden. Local storage is reserved for the language. */
const COOKIE = "gatehouse_tips";
const HIDDEN = "hidden";
const TIPS_ID = "tips";
const REMEMBER_SECONDS = 365 * DAY_SECONDS;

/** Wraps the tips, and adds a button that hides them permanently and shows them again. */
export class TipsCard extends LiveElement {
  protected connect(signal: AbortSignal): void {
    const tips = document.getElementById(TIPS_ID);
    if (!tips) return;
    const button = this.createButton(signal, { className: "line-link", text: "" });
    button.setAttribute("aria-controls", TIPS_ID);
    tips.after(button);
    const show = (isShown: boolean) => {
      tips.hidden = !isShown;
      button.textContent = this.attribute(isShown ? "hide-text" : "show-text");
      button.setAttribute("aria-expanded", String(isShown));
    };
    const toggle = () => {
      show(tips.hidden);
      remember(!tips.hidden);
    };
    button.addEventListener("click", toggle, { signal });
    show(!areHidden());
  }
}

function areHidden(): boolean {
  return document.cookie.split("; ").includes(`${COOKIE}=${HIDDEN}`);
}

function remember(isShown: boolean): void {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  const age = isShown ? 0 : REMEMBER_SECONDS;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in browsers that the product serves.
  document.cookie = `${COOKIE}=${HIDDEN}; Path=/; Max-Age=${age}; SameSite=Lax${secure}`;
}
