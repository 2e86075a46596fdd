import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { freePort } from "#tests/support/free-port.ts";
import { ROOT } from "#tests/support/source-tree.ts";

const PROGRAM = join(ROOT, "build/main.js");
const POLL_MS = 25;

const startSchema = z.object({
  issuer: z.string(),
  app_url: z.string(),
  accounts: z.array(z.object({ username: z.string(), password: z.string() })).min(2),
});

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "close");
    child.kill(signal);
    await ended;
  }
  return child.exitCode;
}

async function startDemo(folder: string, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [PROGRAM, "demo", "--json"], {
    env: { PATH: process.env.PATH, ...env, NODE_ENV: "production" },
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(async () => {
    await stop(child, "SIGKILL");
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  while (!output.stdout.endsWith("}\n") && child.exitCode === null) await sleep(POLL_MS);
  if (child.exitCode !== null) throw new Error(`The demo ended with ${child.exitCode}: ${output.stderr}`);
  return { child, ...startSchema.parse(JSON.parse(output.stdout)) };
}

it("the demo lets its users sign in to its application, and keeps its data after a restart and its secrets to itself", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-demo-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = {
    PORT: String(await freePort()),
    DEMO_APP_PORT: String(await freePort()),
    DEMO_PROVIDERS_PORT: String(await freePort()),
  };
  const first = await startDemo(folder, env);
  for (const name of ["secret-key", "accounts.json", "gatehouse.sqlite"]) {
    expect(statSync(join(folder, "data/demo", name)).mode & 0o777, name).toBe(0o600);
  }
  expect(readFileSync(join(folder, "data/demo/secret-key"), "utf8").trim()).toMatch(/^[\w-]{64}$/);
  const [anna = { username: "", password: "" }] = first.accounts;
  const browser = createBrowser({ base: first.app_url });
  const login = await browser.follow(await browser.get("/sign-in"));
  const { username, password } = anna;
  const consent = await browser.follow(
    await browser.submit(login, login.page().form("/login/native"), { username, password }),
  );
  const home = await browser.follow(await browser.submit(consent, consent.page().form("/consent/accept")));
  expect(home.url).toBe(`${first.app_url}/`);
  expect(home.body).toContain(username);
  expect(await stop(first.child, "SIGINT")).toBe(0);
  await expect(fetch(first.app_url)).rejects.toThrow();

  const again = await startDemo(folder, env);
  expect(again.accounts).toEqual(first.accounts);
  expect(await stop(again.child, "SIGTERM")).toBe(0);
});
