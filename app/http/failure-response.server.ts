import type { Failure } from "./load-context.server.ts";
import { refusal } from "./refusal.server.ts";

/** Returns the refusal of the middleware to throw; a 404 without one. */
export function failureResponse(failure: Failure | null): Response {
  if (!failure) return refusal(404, "page_not_found");
  const { status, code, retryAfterSeconds } = failure;
  return refusal(status, code, {}, { retryAfterSeconds });
}
