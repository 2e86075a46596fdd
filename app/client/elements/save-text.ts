import { LiveElement } from "./live-element.ts";

/** Adds a button that saves `text` as a file, without a request. */
export class SaveText extends LiveElement {
  protected connect(signal: AbortSignal): void {
    const button = this.createButton(signal, { className: "button quiet", text: this.attribute("label") });
    button.addEventListener("click", () => save(this.attribute("text"), this.attribute("file-name")), { signal });
    this.append(button);
  }
}

function save(text: string, fileName: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  Object.assign(document.createElement("a"), { href: url, download: fileName }).click();
  // The download has started by the next task.
  setTimeout(() => URL.revokeObjectURL(url));
}
