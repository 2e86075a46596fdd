/** Placeholder in a text that the script replaces with a number. */
export const NUMBER_MARK = "%";

/** Returns the text of this name with the number inserted; "" if there is none. */
export type Texts = (name: string, number?: number) => string;

/** Reads the attribute `texts` of an element: a JSON object of texts that are selected by name at run time. */
export function textsOf(element: Element): Texts {
  const texts = new Map<string, string>(Object.entries(JSON.parse(element.getAttribute("texts") ?? "{}")));
  return (name, number) => {
    const text = texts.get(name) ?? "";
    return number === undefined ? text : text.replace(NUMBER_MARK, String(number));
  };
}
