import { hasCode } from "#app/domain/base/errors.ts";
import type { LoadContext } from "./load-context.server.ts";
import { logError } from "./log-error.server.ts";

/** Headers of a response that is refused because the hash queue is full or the database is unavailable. */
export const OVERLOAD_HEADERS = { "Retry-After": "5" } as const;

/** Runs work that hashes; returns `overloaded` if the hash queue is full. */
export async function orOverloaded<Outcome>(work: () => Promise<Outcome>): Promise<Outcome | { kind: "overloaded" }> {
  try {
    return await work();
  } catch (error) {
    if (hasCode(error, "overloaded")) return { kind: "overloaded" };
    throw error;
  }
}

/** Runs work that uses the database; if the database is locked or unavailable, logs it and returns the fallback. */
export async function orUnavailable<Outcome, Fallback>(
  context: LoadContext,
  request: Request,
  { work, fallback }: { work: () => Promise<Outcome>; fallback: () => Promise<Fallback> },
): Promise<Outcome | Fallback> {
  try {
    return await work();
  } catch (error) {
    if (!context.store.isUnavailable(error)) throw error;
    logError(context.log, error, { requestId: context.requestId, path: new URL(request.url).pathname });
    return fallback();
  }
}
