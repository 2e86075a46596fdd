import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createLogLines } from "#app/log/lines.server.ts";

/** Creates a named pipe whose reader can disconnect and reconnect. */
function createPipe() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  const read = () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let reader = read();
  const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  let text = "";
  onTestFinished(() => {
    closeSync(fd);
    closeSync(reader);
  });
  return {
    fd,
    /** Returns everything received so far. */
    text() {
      const chunk = Buffer.alloc(4 * 1024 * 1024);
      try {
        text += chunk.subarray(0, readSync(reader, chunk)).toString("utf8");
      } catch {
        // No new data.
      }
      return text;
    },
    leave: () => closeSync(reader),
    comeBack: () => {
      reader = read();
    },
  };
}

it("lines come in their order, and soon", async () => {
  const pipe = createPipe();
  const lines = createLogLines(pipe.fd);
  const written = Array.from({ length: 500 }, (_, number) => `{"number":${number}}\n`);
  for (const line of written) lines.write(line);
  await vi.waitFor(() => expect(pipe.text()).toBe(written.join("")), { timeout: 10_000 });
});

it("while nothing can be written, lines wait, at most a mebibyte of them; what was lost is told afterwards", async () => {
  const pipe = createPipe();
  pipe.leave();
  const lines = createLogLines(pipe.fd);
  lines.write('{"number":0}\n');
  for (let number = 1; number < 3_000; number += 1) lines.write(`{"number":${number},"text":"${"x".repeat(1_000)}"}\n`);
  // By then the first write has failed.
  await new Promise((resolve) => setImmediate(resolve));
  pipe.comeBack();
  const end = /lines of the log were lost"}\n$/;
  await vi.waitFor(() => expect(end.test(pipe.text())).toBe(true), { timeout: 18_000 });
  const entries = pipe
    .text()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const { lost } = entries.at(-1);
  expect(entries[0]).toEqual({ number: 0 });
  expect(entries.length - 1 + lost).toBe(3_000);
  expect(lost).toBeGreaterThan(1_500);
});
