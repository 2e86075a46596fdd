import type { PageCode } from "./refusal.server.ts";

/** Goes on with a GET, whatever the request was (RFC 9110 section 15.4.4); never 302, 307 or 308 after a form. */
export function redirect303(url: string, headers: HeadersInit = {}): Response {
  const all = new Headers(headers);
  all.set("Location", url);
  return new Response(null, { status: 303, headers: all });
}

/** Statuses of pages by the code on them, where it is not 400. */
const STATUS_OF_CODE: ReadonlyMap<PageCode, number> = new Map([
  ["credentials", 401],
  ["xsrf", 403],
  ["factor already registered", 403],
  ["origin", 403],
  ["page_not_found", 404],
  ["throttled", 429],
  ["internal", 500],
  ["overloaded", 503],
]);

/** The HTTP status of a page that shows this code; 200 without one. */
export function htmlStatus(code: PageCode | null | undefined): number {
  return code ? (STATUS_OF_CODE.get(code) ?? 400) : 200;
}

/**
 * The header for answers that end a session: pages that are kept, also for the back button, are dropped. Not cookies:
 * the browser cookie outlives sessions. Not storage: it holds only the language.
 */
export const clearSiteData = { "Clear-Site-Data": '"cache"' } as const;
