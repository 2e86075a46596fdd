import type { Streams } from "./streams.server.ts";

/**
 * Writes a part of a long answer and waits until it has gone, so that a slow reader does not fill the memory. False
 * when the reader has left (`… | head`): there is no need for more.
 */
export async function writeOut({ stdout }: Streams, text: string): Promise<boolean> {
  if (stdout.destroyed || stdout.writableEnded) return false;
  if (stdout.write(text)) return true;
  return new Promise((resolve) => {
    stdout.once("drain", () => resolve(true));
    stdout.once("close", () => resolve(false));
    stdout.once("error", () => resolve(false));
  });
}
