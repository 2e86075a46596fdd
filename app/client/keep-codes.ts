import { PRINT, SAVE, SAVE_NAME } from "./attributes.ts";
import { createOnce } from "./each-page.ts";

const isNew = createOnce();

/** Reveals the save buttons and adds their click handlers. The text is saved locally, without a request. */
export function enableSaving(): void {
  for (const button of document.querySelectorAll<HTMLElement>(`button[${SAVE}]`)) {
    if (!isNew(button)) continue;
    button.hidden = false;
    button.addEventListener("click", () =>
      save(button.getAttribute(SAVE) ?? "", button.getAttribute(SAVE_NAME) ?? "codes.txt"),
    );
  }
}

/** Reveals the print buttons and adds their click handlers. */
export function enablePrinting(): void {
  for (const button of document.querySelectorAll<HTMLElement>(`button[${PRINT}]`)) {
    if (!isNew(button)) continue;
    button.hidden = false;
    button.addEventListener("click", () => print());
  }
}

function save(text: string, fileName: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  Object.assign(document.createElement("a"), { href: url, download: fileName }).click();
  // The download has started by the next task.
  setTimeout(() => URL.revokeObjectURL(url));
}
