import { TEXT_HIDE, TEXT_SHOW, TIPS, TIPS_TOGGLE } from "./attributes.ts";
import { createOnce } from "./each-page.ts";

const isNew = createOnce();

/** Cookie set when the tips are hidden. Local storage is reserved for the language. */
const COOKIE = "gatehouse_tips";
const HIDDEN = "hidden";
const REMEMBER_SECONDS = 365 * 24 * 60 * 60;

/** Lets users hide the tips permanently and show them again. */
export function enableTips(): void {
  const tips = document.querySelector<HTMLElement>(`[${TIPS}]`);
  const toggle = document.querySelector<HTMLElement>(`[${TIPS_TOGGLE}]`);
  if (!tips || !toggle || !isNew(toggle)) return;

  const show = (isShown: boolean) => {
    tips.hidden = !isShown;
    toggle.textContent = toggle.getAttribute(isShown ? TEXT_HIDE : TEXT_SHOW);
    toggle.setAttribute("aria-expanded", String(isShown));
  };

  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    const isShown = tips.hidden;
    show(isShown);
    remember(isShown);
  });
  show(!isPutAway());
}

function isPutAway(): boolean {
  return document.cookie.split("; ").includes(`${COOKIE}=${HIDDEN}`);
}

function remember(isShown: boolean): void {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  const age = isShown ? 0 : REMEMBER_SECONDS;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in browsers that the product serves.
  document.cookie = `${COOKIE}=${HIDDEN}; Path=/; Max-Age=${age}; SameSite=Lax${secure}`;
}
