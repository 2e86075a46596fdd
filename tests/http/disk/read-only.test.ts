import { chmodSync } from "node:fs";
import { basename } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { createInstallation, type OfflineInstallation, UNPRIVILEGED, userAdd } from "./installation.ts";

/** Starts many processes, some of them traced. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const COMMANDS = [["serve"], userAdd("berta"), ["user", "list"], ["keys", "rotate"], ["migrate"]];

const UID = process.getuid?.();

let installation: OfflineInstallation;
let before: { content: string; names: string[] };

beforeAll(async () => {
  installation = await createInstallation();
  before = { content: installation.content(), names: installation.names() };
});
afterAll(() => installation?.remove());

/** The database is unchanged, and there are no new files beside it. */
function expectUntouched() {
  expect({ content: installation.content(), names: installation.names() }).toEqual(before);
}

/** Expects the problem in the first line and the remedy in the next, without internals. */
function expectClearWord(stderr: string, problem: string, repair: RegExp) {
  const lines = stderr.trimEnd().split("\n");
  const at = lines.indexOf(`error: ${problem}`);
  expect(at, stderr).toBeGreaterThanOrEqual(0);
  expect(lines[at + 1]).toMatch(repair);
  expect(stderr).not.toMatch(/\n\s+at /);
}

test.each(COMMANDS.map((args) => ({ args, named: `gatehouse ${args.slice(0, 2).join(" ")}` })))(
  "a folder that is not writable: $named reports it and how to fix it",
  async ({ args }) => {
    chmodSync(installation.data, 0o500);
    try {
      const { code, stderr } = await installation.run(args, { stdin: TEST_PASSWORD, through: UNPRIVILEGED });
      expect(code).toBe(3);
      expectClearWord(
        stderr,
        `Gatehouse (uid ${UID}) cannot write ${installation.data} (EACCES).`,
        /^Run: chmod u\+rwx /,
      );
    } finally {
      chmodSync(installation.data, 0o700);
    }
    expectUntouched();
  },
);

// Proves requirement 125.
test("a folder that is not writable: backup to another folder reports it, and leaves no incomplete copy", async () => {
  const copy = `${installation.folder}/copy.sqlite`;
  chmodSync(installation.data, 0o500);
  try {
    const { code, stderr } = await installation.run(["backup", copy], { through: UNPRIVILEGED });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: The database or its folder is not writable: /)]);
    expect(stderr).toContain("Check the owner");
  } finally {
    chmodSync(installation.data, 0o700);
  }
  expectUntouched();
});

test.each([
  ["EROFS", /^The file system is read-only\. .* mount -o remount,rw/],
  ["EPERM", /^Run: chmod u\+rw /],
] as const)(
  "a file that the kernel protects from changes (%s): the server and a command report it",
  async (error, repair) => {
    const { program, env } = requireDebianTool("strace");
    // The kernel's error on a read-only file system, or if another user owns the file.
    const fault = ["-e", `inject=?chmod,?fchmodat:error=${error}`, "-P", installation.file];
    const libraries = env.LD_LIBRARY_PATH ?? "";
    const watched = ["env", `LD_LIBRARY_PATH=${libraries}`, program, "-f", "-qq", "-o", "/dev/null"];
    const through = [...watched, "-E", "LD_LIBRARY_PATH", "-e", "trace=?chmod,?fchmodat", ...fault];
    for (const args of [["serve"], userAdd("berta")]) {
      const { code, stderr } = await installation.run(args, { stdin: TEST_PASSWORD, through });
      expect(code).toBe(3);
      expectClearWord(stderr, `Gatehouse (uid ${UID}) cannot write ${installation.file} (${error}).`, repair);
    }
    expectUntouched();
  },
);

test("a file that its owner may not write becomes writable at the next start", async () => {
  chmodSync(installation.file, 0o400);
  const { code, stdout } = await installation.run(["user", "list"], { through: UNPRIVILEGED });
  expect([code, stdout]).toEqual([0, expect.stringContaining("anna")]);
  expect(installation.names()).toContain(basename(installation.file));
});
