import type { ErrorCode } from "#app/domain/base/errors.ts";

/** Code of an error page: an error code of the domain, or an unexpected error. */
export type PageCode = ErrorCode | "internal";

/** Additional data for the error page. `retryAfterSeconds`: waiting time for the user. */
type RefusalDetails = { retryAfterSeconds?: number | undefined };

/** Returns a Response to throw: Remix passes its status, `code` and `details` to the error boundary. */
export function refusal(
  status: number,
  code: PageCode,
  headers: Record<string, string> = {},
  details: RefusalDetails = {},
): Response {
  return Response.json({ code, ...details }, { status, headers });
}
