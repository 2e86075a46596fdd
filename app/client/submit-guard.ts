import { BUSY_LABEL, PAGE_EVENT } from "./attributes.ts";

/** After this time a form may be sent again: the person may have stopped the page from loading. */
const RELEASE_AFTER_MS = 10_000;

/** Sends a form once, however often it is clicked, and says on the button that something is going on. */
export function guardSubmits(): void {
  let release: (() => void) | null = null;
  addEventListener("submit", (event) => {
    // Somebody else sends it, or nobody does.
    if (event.defaultPrevented) return;
    if (release) {
      event.preventDefault();
      return;
    }
    const undo = showBusy(event.submitter);
    release = () => {
      clearTimeout(timer);
      release = null;
      undo();
    };
    const timer = setTimeout(release, RELEASE_AFTER_MS);
  });
  addEventListener(PAGE_EVENT, () => release?.());
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    release?.();
    // The browser took the page from its memory: what its forms carry may be used up.
    if (document.forms.length > 0) location.reload();
  });
}

/** Marks the button as busy; returns the way back. It stays enabled, or its name and value would not be sent. */
function showBusy(button: HTMLElement | null): () => void {
  const label = button?.getAttribute(BUSY_LABEL);
  const before = button?.textContent ?? null;
  button?.setAttribute("aria-disabled", "true");
  if (button && label) button.textContent = label;
  return () => {
    button?.removeAttribute("aria-disabled");
    if (button && label) button.textContent = before;
  };
}
