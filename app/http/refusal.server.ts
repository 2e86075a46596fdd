import type { ErrorCode } from "#app/domain/errors.ts";

/** What an error page may be about: a refusal of the product, or a defect. */
export type PageCode = ErrorCode | "internal";

/** A Response to throw: Remix hands its status and `{ code }` to the error boundary. */
export function refusal(status: number, code: PageCode, headers: Record<string, string> = {}): Response {
  return Response.json({ code }, { status, headers });
}
