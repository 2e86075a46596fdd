import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";

/** Follows the link of "You are logged in as" to the form for another account. */
export function useOtherAccount(browser: Browser, page: HttpResponse): Promise<HttpResponse> {
  const links = page.page().all("a");
  const other = links.find(({ text }) => text === "Use a different account");
  if (!other?.attributes.href) throw new Error(`no link to another account: ${page.status}`);
  return browser.get(other.attributes.href);
}
