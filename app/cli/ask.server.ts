import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { Streams } from "./streams.server.ts";

/** Asks a question on the terminal. null when the person ends the input instead (Ctrl-D, Ctrl-C). */
export async function ask(streams: Streams, question: string): Promise<string | null> {
  return readAnswer(streams, streams.stderr, question);
}

/** Asks for something that must not stand on the screen. null as with `ask`. */
export async function askHidden(streams: Streams, question: string): Promise<string | null> {
  streams.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = await readAnswer(streams, nowhere, "");
  streams.stderr.write("\n");
  return answer;
}

function readAnswer({ stdin }: Streams, echo: Writable, question: string): Promise<string | null> {
  return new Promise((resolve) => {
    // As a terminal, it takes the echo away from the system and writes to `echo` instead.
    const lines = createInterface({ input: stdin, output: echo, terminal: true, historySize: 0 });
    lines.once("close", () => resolve(null));
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}
