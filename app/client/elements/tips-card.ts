import { LiveElement } from "./live-element.ts";

/** Cookie set when the tips are hidden. Local storage is reserved for the language. */
const COOKIE = "gatehouse_tips";
const HIDDEN = "hidden";
const REMEMBER_SECONDS = 365 * 24 * 60 * 60;

/** Lets users hide the tips permanently and show them again. */
export class TipsCard extends LiveElement {
  protected connect(signal: AbortSignal): void {
    const button = this.querySelector("button");
    const tips = document.getElementById(button?.getAttribute("aria-controls") ?? "");
    if (!tips || !button) return;
    const show = (isShown: boolean) => {
      tips.hidden = !isShown;
      button.textContent = this.attribute(isShown ? "hide-text" : "show-text");
      button.setAttribute("aria-expanded", String(isShown));
    };
    const toggle = () => {
      show(tips.hidden);
      remember(!tips.hidden);
    };
    button.hidden = false;
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
