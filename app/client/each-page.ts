import { AREA, PAGE_EVENT, PAGE_SHOWN } from "./attributes.ts";

/** Runs `work` once in the login area; in the settings after hydration and after each client-side navigation. */
export function onEachPage(work: () => void): void {
  const { documentElement: html } = document;
  const changes = html.getAttribute(AREA) === "manage";
  if (!changes || html.hasAttribute(PAGE_SHOWN)) work();
  if (changes) addEventListener(PAGE_EVENT, work);
}

/** Returns a predicate that is true for new elements. Elements can persist across client-side navigations. */
export function createOnce(): (element: Element) => boolean {
  const met = new WeakSet<Element>();
  return (element) => {
    const isNew = !met.has(element);
    met.add(element);
    return isNew;
  };
}
