/**
 * Replaces the history entry of a response to a POST with a URL that GET can load, so that a reload does not submit the
 * form again. The URL is the language link's, without `lng`. Needed even if the URL is unchanged, because replaceState
 * turns the entry into a GET.
 */
export function takeOwnAddress(): void {
  const link = document.querySelector<HTMLAnchorElement>("footer a[hreflang]");
  if (!link) return;
  const own = new URL(link.href);
  own.searchParams.delete("lng");
  if (location.search === "") history.replaceState(null, "", own.pathname + own.search + location.hash);
}
