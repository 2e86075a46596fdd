/**
 * A page that answers a form stands in the history as that form, and coming back to it asks to send it again. It gets
 * the address at which it can be asked for: the one that the language link leads to. Even where that is the same
 * address: from then on, loading it again sends nothing.
 */
export function takeOwnAddress(): void {
  const link = document.querySelector<HTMLAnchorElement>("footer a[hreflang]");
  if (!link) return;
  const own = new URL(link.href);
  own.searchParams.delete("lng");
  if (location.search === "") history.replaceState(null, "", own.pathname + own.search + location.hash);
}
