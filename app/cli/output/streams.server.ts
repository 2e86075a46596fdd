import type { Readable, Writable } from "node:stream";

/** The three streams of a process. `isTTY` is true where a person sits at the other end. */
export type Streams = {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
};

/** Whether somebody can be asked: reads the question on standard error and types the answer. */
export function isInteractive({ stdin, stderr }: Streams): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** `gatehouse user list | head -1` closes the pipe early: that is no failure of ours. */
export function forgiveClosedPipe({ stdout }: Streams): void {
  stdout.on("error", (error) => {
    if (!("code" in error) || error.code !== "EPIPE") throw error;
  });
}
