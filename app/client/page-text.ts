import { NUMBER_MARK, TEXT } from "./attributes.ts";

/** The sentence that the page holds ready under this name; empty where it has none. */
export function pageText(name: string, number?: number): string {
  const found = template(name);
  // React writes a text that was not in the document into the element itself.
  const text = found?.content.textContent || found?.textContent || "";
  return number === undefined ? text : text.replace(NUMBER_MARK, String(number));
}

function template(name: string): HTMLTemplateElement | null {
  return document.querySelector<HTMLTemplateElement>(`template[${TEXT}="${name}"]`);
}
