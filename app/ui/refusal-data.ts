import { isRouteErrorResponse } from "@remix-run/react";
import { MINUTE_SECONDS } from "#app/durations.ts";

/** Returns true if the request was refused because of a foreign `Origin`. */
export function isForeignOrigin(error: unknown): boolean {
  const data = dataOf(error);
  return data !== null && "code" in data && data.code === "origin";
}

/** Returns the waiting time of a refusal in minutes, rounded up; undefined if it has none. */
export function waitMinutesOf(error: unknown): number | undefined {
  const data = dataOf(error);
  if (data === null || !("retryAfterSeconds" in data) || typeof data.retryAfterSeconds !== "number") return undefined;
  return Math.ceil(data.retryAfterSeconds / MINUTE_SECONDS);
}

/** Returns the reference of a failed request; null if the server did not send one. */
export function referenceOf(error: unknown): string | null {
  const data = dataOf(error);
  return data !== null && "reference" in data && typeof data.reference === "string" ? data.reference : null;
}

/** Returns the URL to try again; null if there is none. */
export function retryUrlOf(error: unknown): string | null {
  const data = dataOf(error);
  return data !== null && "retryUrl" in data && typeof data.retryUrl === "string" ? data.retryUrl : null;
}

/** Returns the data of a thrown `refusal`; null for any other error. */
function dataOf(error: unknown): object | null {
  const data: unknown = isRouteErrorResponse(error) ? error.data : null;
  return typeof data === "object" ? data : null;
}
