import type { NotAllowed } from "#app/domain/settings/change.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { confirmUrl } from "#app/http/settings-session.server.ts";

/**
 * Redirects after a change that was not allowed: to the confirmation page when the last proof of identity is too old,
 * to /manage when the access has ended. The guard of /manage checks the access again: after a duplicate submission of
 * the same form, it is still valid.
 * @param page path of the form's page, to which the confirmation page returns
 */
export function redirectNotAllowed({ kind }: NotAllowed, page: string): Response {
  return redirect303(kind === "unauthorized" ? "/manage" : confirmUrl(page));
}

/** Returns the waiting time that the page shows, and the response headers, for a throttled attempt. */
export function throttledDetails({ retryAfterSeconds }: { retryAfterSeconds: number }) {
  const details = { waitMinutes: Math.ceil(retryAfterSeconds / 60) };
  return [details, { "Retry-After": String(retryAfterSeconds) }] as const;
}
