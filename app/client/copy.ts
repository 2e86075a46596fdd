import { COPY, COPY_DONE, COPY_FAILED, copyStatusId } from "./attributes.ts";
import { createOnce } from "./each-page.ts";

const isNew = createOnce();

/** Display time of the success text on the button. */
const SAID_MS = 3_000;

/** Reveals the copy buttons and adds their click handlers. */
export function enableCopying(): void {
  for (const button of document.querySelectorAll<HTMLElement>(`button[${COPY}]`)) {
    if (!isNew(button)) continue;
    const label = button.textContent;
    let timer: ReturnType<typeof setTimeout> | undefined;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const isCopied = await write(button.getAttribute(COPY) ?? "");
      say(button, isCopied);
      if (!isCopied) return select(button.getAttribute("aria-controls") ?? "");
      button.textContent = button.getAttribute(COPY_DONE);
      clearTimeout(timer);
      timer = setTimeout(() => {
        button.textContent = label;
      }, SAID_MS);
    });
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

/** Announces the outcome. A failure is also visible; a success is visible on the button. */
function say(button: HTMLElement, isCopied: boolean): void {
  const status = document.getElementById(copyStatusId(button.id));
  if (!status) return;
  status.className = isCopied ? "visually-hidden" : "note";
  status.textContent = button.getAttribute(isCopied ? COPY_DONE : COPY_FAILED);
}

function select(id: string): void {
  const shown = document.getElementById(id);
  if (shown) getSelection()?.selectAllChildren(shown);
}
