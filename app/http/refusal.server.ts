import type { ErrorCode } from "#app/domain/errors.ts";

/** What an error page may be about: a refusal of the product, or a defect. */
export type PageCode = ErrorCode | "internal";

/** What the error page reads beside the code. `retryAfterSeconds`: how long the user has to wait. */
export type RefusalDetails = { retryAfterSeconds?: number | undefined };

/** A Response to throw: Remix hands its status, `code` and `details` to the error boundary. */
export function refusal(
  status: number,
  code: PageCode,
  headers: Record<string, string> = {},
  details: RefusalDetails = {},
): Response {
  return Response.json({ code, ...details }, { status, headers });
}
