import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { Streams } from "./streams.server.ts";

/** Asks a question on the terminal. null when the person ends the input instead (Ctrl-D). */
export async function ask(streams: Streams, question: string): Promise<string | null> {
  streams.stderr.write(question);
  return readAnswer({ input: streams.stdin, terminal: false });
}

/** Asks for something that must not stand on the screen. null when the person leaves instead (Ctrl-D, Ctrl-C). */
export async function askHidden(streams: Streams, question: string): Promise<string | null> {
  streams.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // As a terminal, it takes the echo away from the system, and writes it to nowhere.
  const answer = await readAnswer({ input: streams.stdin, output: nowhere, terminal: true, historySize: 0 });
  streams.stderr.write("\n");
  return answer;
}

function readAnswer(options: Parameters<typeof createInterface>[0]): Promise<string | null> {
  return new Promise((resolve) => {
    const lines = createInterface(options);
    lines.once("close", () => resolve(null));
    lines.once("line", (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}
