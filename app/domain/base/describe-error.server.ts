import { DomainError } from "./errors.ts";

/** Maximum depth of causes: an error can be its own cause. */
const MAX_CAUSES = 3;

/** Returns the loggable parts of an error. Drizzle appends query parameters, such as tokens, after the first line. */
export function describeError(error: unknown, causesLeft = MAX_CAUSES): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: "something that is no Error was thrown" };
  const hasCause = error.cause !== undefined && causesLeft > 0;
  return {
    name: error.name,
    message: error.message.split("\n", 1)[0],
    ...(error instanceof DomainError ? { code: error.code } : {}),
    at: (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)),
    ...(hasCause ? { cause: describeError(error.cause, causesLeft - 1) } : {}),
  };
}
