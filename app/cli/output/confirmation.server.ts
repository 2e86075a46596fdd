import { CommandError } from "./command-error.ts";
import { EXIT } from "./exit-codes.ts";
import { ask } from "./prompts.server.ts";
import { isInteractive, type Streams } from "./streams.server.ts";

/**
 * Lets a command go on that destroys something: with --yes, or when the person at the terminal says so.
 * Throws CommandError (refused) otherwise.
 */
export async function requireConfirmation(
  streams: Streams,
  { yes, question }: { yes: boolean; question: string },
): Promise<void> {
  if (yes) return;
  if (!isInteractive(streams)) {
    throw new CommandError(EXIT.refused, [
      "Nothing was changed: this cannot be undone, and there is nobody to ask.",
      "Say --yes to go on without a question.",
    ]);
  }
  const answer = await ask(streams, `${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) throw new CommandError(EXIT.refused, ["Nothing was changed."]);
}
