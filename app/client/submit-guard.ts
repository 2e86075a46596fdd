import { pressEnded } from "./press.ts";

/** After this time the form can be submitted again, e.g. because the user stopped loading. */
const RELEASE_AFTER_MS = 10_000;

/** Prevents double submission and shows the busy label on the submit button. */
export function guardSubmits(): void {
  let release: (() => void) | null = null;
  addEventListener("submit", (event) => {
    // Another handler prevented the submission.
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
    const timer = setTimeout(async () => {
      await pressEnded();
      release?.();
    }, RELEASE_AFTER_MS);
  });
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    release?.();
    // Restored from the back/forward cache: the form's tokens may have been used.
    if (document.forms.length > 0) location.reload();
  });
}

/** Shows the busy label; returns the undo function. A disabled button's name and value would not be submitted. */
function showBusy(button: HTMLElement | null): () => void {
  const label = button?.dataset["busyLabel"];
  const before = button?.textContent ?? null;
  button?.setAttribute("aria-disabled", "true");
  if (button && label) button.textContent = label;
  return () => {
    button?.removeAttribute("aria-disabled");
    if (button && label) button.textContent = before;
  };
}
