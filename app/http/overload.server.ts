import { hasCode } from "#app/domain/errors.ts";

/** Headers of a response that is refused because the hash queue is full. */
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
