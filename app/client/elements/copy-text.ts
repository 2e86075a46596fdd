import { LiveElement } from "./live-element.ts";

/** Time for which the button shows the success. */
const SUCCESS_MS = 3_000;

/** Wraps the button that copies `text`. If the browser refuses, selects the text where the page shows it. */
export class CopyText extends LiveElement {
  protected connect(signal: AbortSignal): void {
    const button = this.querySelector("button");
    const status = this.querySelector("[aria-live]");
    if (!button || !status) return;
    const label = button.textContent;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const copy = async () => {
      const isCopied = await write(this.attribute("text"));
      // A success is visible on the button.
      status.className = isCopied ? "visually-hidden" : "note";
      status.textContent = this.attribute(isCopied ? "done" : "failed");
      if (!isCopied) return select(button.getAttribute("aria-controls") ?? "");
      button.textContent = this.attribute("done");
      clearTimeout(timer);
      timer = setTimeout(() => {
        button.textContent = label;
      }, SUCCESS_MS);
    };
    button.hidden = false;
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
