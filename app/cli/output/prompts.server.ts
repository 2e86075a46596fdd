import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { CommandError, EXIT } from "./command-error.ts";
import { isInteractive, type Streams } from "./output.server.ts";

/** Longest accepted standard input, far longer than any valid password. */
const MAX_PASSWORD_INPUT_BYTES = 8192;

/** Prompts before a destructive command, unless `yes` is set. Throws CommandError (refused) without a confirmation. */
export async function requireConfirmation(
  streams: Streams,
  { yes, question }: { yes: boolean; question: string },
): Promise<void> {
  if (yes) return;
  if (!isInteractive(streams)) {
    throw new CommandError(EXIT.refused, [
      "Nothing was changed: the command cannot be undone, and there is no terminal to ask for confirmation.",
      "Run it again with --yes to skip the question.",
    ]);
  }
  const answer = await prompt(streams, `${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) throw new CommandError(EXIT.refused, ["Nothing was changed."]);
}

/**
 * Reads a new password: one line of standard input, or asked for twice without echo on a terminal. Passwords are never
 * arguments, because other processes can read these. Throws CommandError (usage).
 */
export async function readNewPassword(streams: Streams): Promise<string> {
  return isInteractive(streams) ? promptForNewPassword(streams) : readSecretLine(streams);
}

/** Asks for one line, which may be piped in, too. Resolves to null when the input ends (Ctrl-D). */
export async function prompt(streams: Streams, question: string): Promise<string | null> {
  streams.stderr.write(question);
  return readLine({ input: streams.stdin, terminal: false });
}

async function promptForNewPassword(streams: Streams): Promise<string> {
  const first = await promptHidden(streams, "New password (not shown): ");
  const second = first === null ? null : await promptHidden(streams, "Repeat the password: ");
  if (first === null || second === null) throw usageError("No password was entered.");
  if (first !== second) throw usageError("The two passwords are different. Run the command again.");
  return first;
}

/** Prompts without echo. Resolves to null when the input ends (Ctrl-D, Ctrl-C). */
export async function promptHidden(streams: Streams, question: string): Promise<string | null> {
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  // In terminal mode, readline disables the echo of the system and echoes to `output`. The question comes afterwards: an
  // answer that is typed at once would be echoed otherwise.
  const answer = readLine({ input: streams.stdin, output: discard, terminal: true, historySize: 0 });
  streams.stderr.write(question);
  await answer;
  streams.stderr.write("\n");
  return answer;
}

function readLine(options: Parameters<typeof createInterface>[0]): Promise<string | null> {
  return new Promise((resolve) => {
    const lines = createInterface(options);
    lines.once("close", () => resolve(null));
    lines.once("line", (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

/** Reads a secret as one line of standard input. `what` is its name in messages. Throws CommandError (usage). */
export async function readSecretLine({ stdin }: Streams, what = "password"): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_PASSWORD_INPUT_BYTES) {
      throw usageError(`Standard input is longer than ${MAX_PASSWORD_INPUT_BYTES} bytes. Pipe in the ${what} only.`);
    }
    chunks.push(bytes);
  }
  // `echo` and editors append a line break, which is not part of the password.
  const password = decodeUtf8(Buffer.concat(chunks), what).replace(/\r?\n$/, "");
  if (/[\r\n]/.test(password)) {
    throw usageError(`Standard input contains several lines. Pipe in the ${what} as one line.`);
  }
  return password;
}

function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw usageError(`The ${what} on standard input is not valid UTF-8.`);
  }
}

function usageError(sentence: string): CommandError {
  return new CommandError(EXIT.usage, [sentence]);
}
