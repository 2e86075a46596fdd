import { AREA, PAGE_EVENT, PAGE_SHOWN } from "./attributes.ts";

/**
 * Does the work for every page that the browser shows: once in the login area; in the settings, whose pages hydrate and
 * change without loading a document, when a page is ready and after each change.
 */
export function onEachPage(work: () => void): void {
  const { documentElement: html } = document;
  const changes = html.getAttribute(AREA) === "manage";
  if (!changes || html.hasAttribute(PAGE_SHOWN)) work();
  if (changes) addEventListener(PAGE_EVENT, work);
}

/** Tells elements that were met before from new ones: a page that changes keeps some of its elements. */
export function createOnce(): (element: Element) => boolean {
  const met = new WeakSet<Element>();
  return (element) => {
    const isNew = !met.has(element);
    met.add(element);
    return isNew;
  };
}
