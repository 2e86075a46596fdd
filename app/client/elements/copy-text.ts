import { pressEnded } from "#app/client/press.ts";
import { LiveElement } from "./live-element.ts";

/** Time for which the button shows the success. */
const SUCCESS_MS = 3_000;

/** Adds a button that copies `text`. If the browser refuses, selects the text where the page shows it. */
export class CopyText extends LiveElement {
  protected connect(signal: AbortSignal): void {
    const status = this.querySelector("[aria-live]");
    if (!status) return;
    const label = this.attribute("label");
    const button = this.createButton(signal, { className: "button quiet", text: label });
    button.setAttribute("aria-controls", this.attribute("shown-in"));
    status.before(button);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const copy = async () => {
      const isCopied = await write(this.attribute("text"));
      await pressEnded();
      // A success is visible on the button.
      status.className = isCopied ? "visually-hidden" : "note";
      status.textContent = this.attribute(isCopied ? "done" : "failed");
      if (!isCopied) return select(this.attribute("shown-in"));
      button.textContent = this.attribute("done");
      clearTimeout(timer);
      timer = setTimeout(async () => {
        await pressEnded();
        button.textContent = label;
      }, SUCCESS_MS);
    };
    button.addEventListener("click", copy, { signal });
  }
}

async function write(text: string): Promise<boolean> {
  try {
    // navigator.clipboard is undefined in insecure contexts.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function select(id: string): void {
  const shown = document.getElementById(id);
  if (shown) getSelection()?.selectAllChildren(shown);
}
