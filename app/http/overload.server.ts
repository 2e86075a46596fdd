import { hasCode } from "#app/domain/errors.ts";

/** What is said to a person whose password or code had no room to be checked: wait this long, and send it again. */
export const OVERLOAD_HEADERS = { "Retry-After": "5" } as const;

/** The outcome of work that hashes, or that too much of it is waiting already. */
export async function orOverloaded<Outcome>(work: () => Promise<Outcome>): Promise<Outcome | { kind: "overloaded" }> {
  try {
    return await work();
  } catch (error) {
    if (hasCode(error, "overloaded")) return { kind: "overloaded" };
    throw error;
  }
}
