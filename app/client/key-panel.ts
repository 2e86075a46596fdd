import { KEY_START, KEY_STATUS, KEY_STOP, NO_SCRIPT, SCRIPT_ONLY } from "./attributes.ts";
import { pageText } from "./page-text.ts";

/** The part of the page that shows how it stands between browser and key. */
export type KeyPanel = {
  stopButton: HTMLElement | null;
  /** Something is going on; the person can stop it. */
  wait(text: string): void;
  /** Nothing is going on; the person can start. */
  rest(): void;
  /** From now on the button says that it tries again. */
  offerRetry(): void;
};

/** Wakes what is of use with the script, and takes away what is there for pages without one. */
export function createKeyPanel(form: HTMLFormElement): KeyPanel {
  for (const part of document.querySelectorAll<HTMLElement>(`[${NO_SCRIPT}]`)) part.hidden = true;
  for (const part of form.querySelectorAll<HTMLElement>(`[${SCRIPT_ONLY}]`)) part.hidden = false;
  const startButton = form.querySelector<HTMLElement>(`[${KEY_START}]`);
  const stopButton = form.querySelector<HTMLElement>(`[${KEY_STOP}]`);
  const status = form.querySelector<HTMLElement>(`[${KEY_STATUS}]`);

  function show(isBusy: boolean, text: string): void {
    const focused = document.activeElement;
    if (startButton) startButton.hidden = isBusy;
    if (stopButton) stopButton.hidden = !isBusy;
    status?.closest(".key-panel")?.toggleAttribute("data-busy", isBusy);
    if (status) status.textContent = text;
    // Who pressed the one stands at the other.
    if (focused === startButton && isBusy) stopButton?.focus();
    if (focused === stopButton && !isBusy) startButton?.focus();
  }

  return {
    stopButton,
    wait: (text) => show(true, text),
    rest: () => show(false, ""),
    offerRetry() {
      if (startButton) startButton.textContent = pageText("retry");
    },
  };
}

/** For a browser that knows no keys: what is said about scripts is not true here, the ways around a key are. */
export function showOtherWays(): void {
  for (const notice of document.querySelectorAll(`[${NO_SCRIPT}] > .alert`)) notice.remove();
}
