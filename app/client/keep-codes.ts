import { PRINT, SAVE, SAVE_NAME } from "./attributes.ts";
import { createOnce } from "./each-page.ts";

const isNew = createOnce();

/** Makes the buttons appear and work that save a text as a file. The text never leaves the browser. */
export function enableSaving(): void {
  for (const button of document.querySelectorAll<HTMLElement>(`button[${SAVE}]`)) {
    if (!isNew(button)) continue;
    button.hidden = false;
    button.addEventListener("click", () =>
      save(button.getAttribute(SAVE) ?? "", button.getAttribute(SAVE_NAME) ?? "codes.txt"),
    );
  }
}

/** Makes the print buttons appear and work. */
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
  // The browser has taken the text by the next turn.
  setTimeout(() => URL.revokeObjectURL(url));
}
