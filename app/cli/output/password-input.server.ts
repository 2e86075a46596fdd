import { CommandError } from "./command-error.ts";
import { EXIT } from "./exit-codes.ts";
import { askHidden } from "./prompts.server.ts";
import { isInteractive, type Streams } from "./streams.server.ts";

/** Far above the longest password; whoever pipes in more has picked the wrong file. */
const MAX_BYTES = 8192;

/**
 * A new password: the one line of standard input, or asked for twice, unseen, where that is a terminal. Never an
 * argument, which every program of the machine can read. Throws CommandError (usage).
 */
export async function readNewPassword(streams: Streams): Promise<string> {
  return isInteractive(streams) ? askTwice(streams) : readLine(streams);
}

async function askTwice(streams: Streams): Promise<string> {
  const first = await askHidden(streams, "New password (it is not shown): ");
  const second = first === null ? null : await askHidden(streams, "The same again: ");
  if (first === null || second === null) throw unusable("No password was given.");
  if (first !== second) throw unusable("The two passwords are not the same.");
  return first;
}

async function readLine({ stdin }: Streams): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BYTES) throw unusable(`Standard input holds more than ${MAX_BYTES} bytes: this is no password.`);
    chunks.push(bytes);
  }
  // `echo` and editors end the line; the line break is no part of the password.
  const password = decode(Buffer.concat(chunks)).replace(/\r?\n$/, "");
  if (/[\r\n]/.test(password)) throw unusable("Standard input holds several lines: a password is one.");
  return password;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unusable("The password on standard input is not UTF-8.");
  }
}

function unusable(sentence: string): CommandError {
  return new CommandError(EXIT.usage, [sentence]);
}
