import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createLogLines } from "#app/log/lines.server.ts";

const CHUNK_BYTES = 4 * 1024 * 1024;

/** Creates a named pipe with a reader. A pipe that nobody reads is full after 64 KiB. */
function createPipe() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  let text = "";
  let isOpen = true;
  const leave = () => {
    if (isOpen) closeSync(reader);
    isOpen = false;
  };
  onTestFinished(() => {
    closeSync(fd);
    leave();
  });
  return {
    fd,
    /** Returns everything received so far. */
    text() {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      try {
        text += chunk.subarray(0, readSync(reader, chunk)).toString("utf8");
      } catch {
        // No new data.
      }
      return text;
    },
    leave,
  };
}

it("a line is written at once, so that none is lost when the process exits", () => {
  const pipe = createPipe();
  const lines = createLogLines(pipe.fd);
  const written = Array.from({ length: 500 }, (_, number) => `{"number":${number}}\n`);
  for (const line of written) lines.write(line);
  expect(pipe.text()).toBe(written.join(""));
});

it("while nothing can be written, up to a mebibyte of lines is buffered; lost lines are reported afterwards", async () => {
  const pipe = createPipe();
  const lines = createLogLines(pipe.fd);
  for (let number = 0; number < 3_000; number += 1) lines.write(`{"number":${number},"text":"${"x".repeat(1_000)}"}\n`);
  let sent = 3_000;
  await vi.waitFor(
    () => {
      lines.write(`{"number":${sent++}}\n`);
      expect(pipe.text()).toContain("lines of the log were lost");
    },
    { timeout: 18_000, interval: 5 },
  );
  lines.write(`{"number":${sent++}}\n`);
  const entries = pipe
    .text()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const lost = entries.reduce((sum, line) => sum + (line.lost ?? 0), 0);
  const numbers = entries.flatMap(({ number }) => (number === undefined ? [] : [number]));
  expect(numbers.slice(0, 500)).toEqual(Array.from({ length: 500 }, (_, number) => number));
  expect(numbers.length + lost).toBe(sent);
  expect(lost).toBeGreaterThan(1_500);
});

it("a closed pipe does not throw", async () => {
  const pipe = createPipe();
  const lines = createLogLines(pipe.fd);
  pipe.leave();
  for (let number = 0; number < 100; number += 1) lines.write(`{"number":${number}}\n`);
  await new Promise((resolve) => setImmediate(resolve));
  expect(() => lines.write('{"number":100}\n')).not.toThrow();
});
