import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { ROOT } from "#tests/support/source-tree.ts";
import { databaseOfRun, runProgram } from "./command.ts";

const USERS = 1_000;
/** Five commands, one of which imports all users. */
const TIMEOUT_MS = 240_000;
const STAFF = ["username,display_name"]
  .concat(Array.from({ length: USERS }, (_, index) => `user${index},User ${index}`))
  .join("\n");

let server: ChildServer;
let database: Awaited<ReturnType<typeof databaseOfRun>>;

beforeAll(async () => {
  database = await databaseOfRun();
  server = await startChildServer({ env: database.env });
});

afterAll(async () => {
  await server?.remove();
  await database?.remove();
});

/** Starts an import beside the running server and sends it this signal midway. */
async function importUntil(signal: NodeJS.Signals) {
  const child = spawn(process.execPath, [join(ROOT, "build/main.js"), "user", "import", "-", "--on-conflict", "skip"], {
    env: server.env,
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close");
  let output = "";
  const started = new Promise<void>((resolve) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.includes("%")) resolve();
    });
  });
  child.stdin.end(STAFF);
  await started;
  child.kill(signal);
  await ended;
  return { code: child.exitCode, told: output };
}

async function countUsers(): Promise<number> {
  const { stdout } = await runProgram(server.env, ["user", "list", "--json"]);
  return z.array(z.unknown()).parse(JSON.parse(stdout)).length;
}

describe("an interrupted import", () => {
  test(
    "prints how to continue after Ctrl-C, keeps complete users after kill -9, can be repeated, and leaves a valid audit trail",
    async () => {
      const stopped = await importUntil("SIGINT");
      expect(stopped.code).toBe(1);
      expect(stopped.told).toMatch(/Stopped after line \d+\. To continue, import the file with --on-conflict skip\./);
      const afterStop = await countUsers();
      expect(afterStop).toBeGreaterThan(0);
      expect(afterStop).toBeLessThan(USERS);

      await importUntil("SIGKILL");
      expect(await countUsers()).toBeGreaterThanOrEqual(afterStop);

      const { code, stdout } = await runProgram(
        server.env,
        ["user", "import", "-", "--on-conflict", "skip", "--json"],
        {
          stdin: STAFF,
        },
      );
      expect(code).toBe(0);
      const { added, skipped } = z.object({ added: z.number(), skipped: z.number() }).parse(JSON.parse(stdout));
      expect(added + skipped).toBe(USERS);
      expect(skipped).toBeGreaterThanOrEqual(afterStop);
      expect(await countUsers()).toBe(USERS);

      const trail = await runProgram(server.env, ["audit", "verify", "--json"]);
      expect(JSON.parse(trail.stdout)).toMatchObject({ ok: true });
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    },
    TIMEOUT_MS,
  );
});
