import { NUMBER_MARK, TEXT } from "./attributes.ts";

/** The sentence that the page holds ready under this name; empty where it has none. */
export function pageText(name: string, number?: number): string {
  const text = template(name)?.content.textContent ?? "";
  return number === undefined ? text : text.replace(NUMBER_MARK, String(number));
}

/** A new copy of the piece of page under this name; null where the page has none. */
export function pagePart(name: string): HTMLElement | null {
  const part = template(name)?.content.firstElementChild?.cloneNode(true);
  return part instanceof HTMLElement ? part : null;
}

function template(name: string): HTMLTemplateElement | null {
  return document.querySelector<HTMLTemplateElement>(`template[${TEXT}="${name}"]`);
}
