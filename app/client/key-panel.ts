import { KEY_START, KEY_STATUS, KEY_STOP, NO_SCRIPT, SCRIPT_ONLY } from "./attributes.ts";
import { pageText } from "./page-text.ts";

/** Controls the status panel of a security-key ceremony. */
export type KeyPanel = {
  stopButton: HTMLElement | null;
  /** Shows a running ceremony, with the stop button. */
  wait(text: string): void;
  /** Shows that no ceremony is running, with the start button. */
  rest(): void;
  /** Changes the label of the start button to "retry". */
  offerRetry(): void;
};

/** Reveals the panel and hides the content for pages without the script. */
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
    // Moves the focus from the hidden button to the visible one.
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

/** For browsers without WebAuthn: removes the notice about JavaScript and keeps the alternatives. */
export function showOtherWays(): void {
  for (const notice of document.querySelectorAll(`[${NO_SCRIPT}] > .alert`)) notice.remove();
}
