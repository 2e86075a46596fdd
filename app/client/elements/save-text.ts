import { LiveElement } from "./live-element.ts";

/** Wraps the button that saves `text` as a file, without a request. */
export class SaveText extends LiveElement {
  protected connect(signal: AbortSignal): void {
    const button = this.querySelector("button");
    if (!button) return;
    button.hidden = false;
    button.addEventListener("click", () => save(this.attribute("text"), this.attribute("file-name")), { signal });
  }
}

function save(text: string, fileName: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  Object.assign(document.createElement("a"), { href: url, download: fileName }).click();
  // The download has started by the next task.
  setTimeout(() => URL.revokeObjectURL(url));
}
