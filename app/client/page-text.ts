import { NUMBER_MARK, TEXT } from "./attributes.ts";

/** Returns the page's text of this name; "" if there is none. */
export function pageText(name: string, number?: number): string {
  const found = template(name);
  // React on the client inserts the text into the element itself, not into `content`.
  const text = found?.content.textContent || found?.textContent || "";
  return number === undefined ? text : text.replace(NUMBER_MARK, String(number));
}

function template(name: string): HTMLTemplateElement | null {
  return document.querySelector<HTMLTemplateElement>(`template[${TEXT}="${name}"]`);
}
