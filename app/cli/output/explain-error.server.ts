import { StoreError, type StoreErrorCode } from "#app/db/errors.server.ts";
import { codeOf, type DomainError } from "#app/domain/errors.ts";
import { CommandError } from "./command-error.ts";
import { explainRefusal } from "./errors.server.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { explainDisk } from "./explain-disk.server.ts";

/** How a command ends that did not succeed: with which code, and what a person is told. */
export type Explanation = { exitCode: ExitCode; lines: readonly string[] };

const STORE_EXITS = {
  "second server": EXIT.refused,
  "not writable": EXIT.failed,
  "database newer": EXIT.refused,
  "strange wal": EXIT.refused,
  replaced: EXIT.failed,
  exchanged: EXIT.refused,
  "no copy": EXIT.failed,
} as const satisfies Record<StoreErrorCode, ExitCode>;

/** Puts an error into words. What nobody has foreseen is told by its innermost cause. */
export function explainError(error: unknown): Explanation {
  if (error instanceof CommandError) return error;
  if (error instanceof StoreError) return { exitCode: STORE_EXITS[error.code], lines: error.message.split("\n") };
  if (isRefusal(error)) return explainRefusal(error);
  return { exitCode: EXIT.failed, lines: explainDisk(error) ?? [reasonOf(error)] };
}

function isRefusal(error: unknown): error is DomainError {
  return error instanceof Error && codeOf(error) !== null && "detail" in error && typeof error.detail === "string";
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "something failed without saying why";
  if (error.cause instanceof Error) return reasonOf(error.cause);
  // Several addresses of one name, none of which answers.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join("; ");
  return error.message || error.name;
}
