import { isRouteErrorResponse } from "@remix-run/react";

const MINUTE_SECONDS = 60;

/** Whether a refusal is about another site that sent the form: its page says so, and not that the form is too old. */
export function isForeignOrigin(error: unknown): boolean {
  const data = dataOf(error);
  return data !== null && "code" in data && data.code === "origin";
}

/** Returns how long a refusal asks the user to wait, in minutes rounded up; undefined where it names no time. */
export function waitMinutesOf(error: unknown): number | undefined {
  const data = dataOf(error);
  if (data === null || !("retryAfterSeconds" in data) || typeof data.retryAfterSeconds !== "number") return undefined;
  return Math.ceil(data.retryAfterSeconds / MINUTE_SECONDS);
}

/** The JSON of a thrown `refusal`, or null for any other error. */
function dataOf(error: unknown): object | null {
  const data: unknown = isRouteErrorResponse(error) ? error.data : null;
  return typeof data === "object" ? data : null;
}
