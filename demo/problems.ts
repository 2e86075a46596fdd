import { AuthorizationResponseError, ResponseBodyError } from "openid-client";
import type { Problem } from "./pages.ts";

/** What kind of problem an error is to the person, and its code for the developer; never a token or a secret. */
export function problemOf(error: unknown): { problem: Problem; details: string | null } {
  if (error instanceof AuthorizationResponseError) {
    return { problem: error.error === "access_denied" ? "denied" : "refused", details: error.error };
  }
  if (error instanceof ResponseBodyError) {
    return { problem: error.error === "invalid_grant" ? "ended" : "refused", details: error.error };
  }
  // `fetch` reports a provider that does not answer as a TypeError.
  if (error instanceof TypeError) return { problem: "unreachable", details: null };
  return { problem: "refused", details: codeOf(error) };
}

function codeOf(error: unknown) {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : null;
}
