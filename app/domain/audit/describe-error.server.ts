import { codeOf } from "#app/domain/errors.ts";

/** An error's causes are followed this far: nothing keeps one from being its own. */
const MAX_CAUSES = 3;

/**
 * What of an error may stand in the log. Only the first line of its message: the database layer appends the values of
 * the failed statement, and among them are hashes and tokens.
 */
export function describeError(error: unknown, causesLeft = MAX_CAUSES): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: "something that is no Error was thrown" };
  const code = codeOf(error);
  const hasCause = error.cause !== undefined && causesLeft > 0;
  return {
    name: error.name,
    message: error.message.split("\n", 1)[0],
    ...(code ? { code } : {}),
    at: (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)),
    ...(hasCause ? { cause: describeError(error.cause, causesLeft - 1) } : {}),
  };
}
