import { data, type HeadersArgs } from "@remix-run/node";
import type { PageCode } from "./refusal.server.ts";

/** Redirects with GET, whatever the method of the request was (RFC 9110 §15.4.4). */
export function redirect303(url: string, headers: HeadersInit = {}): Response {
  const all = new Headers(headers);
  all.set("Location", url);
  return new Response(null, { status: 303, headers: all });
}

/** Responds with a page and its HTTP status. */
export async function respondWith<Page extends { status: number }>(loading: Promise<Page>, headers: HeadersInit = {}) {
  const page = await loading;
  return data(page, { status: page.status, headers });
}

/** Sends the headers of an action's result, such as `Retry-After`. A route exports it as `headers`. */
export function actionHeaders({ actionHeaders }: HeadersArgs): Headers {
  return actionHeaders;
}

/** Returns the waiting time that a page shows, in minutes, and the response headers, for a throttled attempt. */
export function throttledDetails({ retryAfterSeconds }: { retryAfterSeconds: number }) {
  const waitMinutes = Math.ceil(retryAfterSeconds / 60);
  return [{ waitMinutes }, { "Retry-After": String(retryAfterSeconds) }] as const;
}

/** Page statuses by code; 400 for all others. */
const STATUS_OF_CODE: ReadonlyMap<PageCode, number> = new Map([
  ["credentials", 401],
  ["passkey refused", 401],
  ["xsrf", 403],
  ["factor already registered", 403],
  ["origin", 403],
  ["page_not_found", 404],
  ["throttled", 429],
  ["internal", 500],
  ["overloaded", 503],
]);

/** Returns the HTTP status of a page with this code; 200 without one. */
export function htmlStatus(code: PageCode | null | undefined): number {
  return code ? (STATUS_OF_CODE.get(code) ?? 400) : 200;
}

/**
 * Header of responses that end a session: clears cached pages, including the back button's. Cookies are kept, because
 * the browser cookie outlives sessions; storage is kept, because it holds only the language.
 */
export const clearSiteData = { "Clear-Site-Data": '"cache"' } as const;
