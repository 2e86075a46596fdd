import { isRouteErrorResponse } from "@remix-run/react";

/** Whether a refusal is about another site that sent the form: its page says so, and not that the form is too old. */
export function isForeignOrigin(error: unknown): boolean {
  if (!isRouteErrorResponse(error)) return false;
  const data: unknown = error.data;
  return typeof data === "object" && data !== null && "code" in data && data.code === "origin";
}
