import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { openForm, stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import { startInstallation } from "#tests/http/restore/installation.ts";
import { createBrowser, type HttpResponse } from "#tests/support/browser-jar.ts";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";

const HELD_MS = 10_000;

/** Delays of the posts after the lock is taken: some outlast the server's wait, some do not. */
const PRESSED_AFTER_MS = [0, 2500, 6000, 8000];

/** Longer than the server's timeout, on a machine that is four times slower. */
const PATIENCE_MS = 40_000;

const NAMES = ["anna", "berta", "carla", "dora"];

/** Takes the write lock with the sqlite3 command, like an administrator's repair; returns its release. */
async function holdLock(file: string): Promise<() => Promise<void>> {
  const { program, env } = requireDebianTool("sqlite3");
  const lockHolder = spawn(program, [file], { env, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void lockHolder.kill("SIGKILL"));
  lockHolder.stdin.write(".timeout 5000\nBEGIN IMMEDIATE;\n.print held\n");
  await once(lockHolder.stdout, "data");
  return async () => {
    lockHolder.stdin.end("ROLLBACK;\n");
    await once(lockHolder, "exit");
  };
}

/** Returns whether the sign-in succeeded; otherwise expects the form again, without a session. */
function hasSignedIn(response: HttpResponse): boolean {
  if (response.status === 303) return true;
  expect([response.status, response.page().lang]).toEqual([503, "de"]);
  expect(stateOf(response)).toMatchObject({ error: "overloaded" });
  expect(response.setCookies.filter((cookie) => cookie.startsWith("gatehouse_session"))).toEqual([]);
  return false;
}

// Proves requirement 125.
test("a database that another process locks for ten seconds: every request gets a late response or a page, and no change is half done", async () => {
  const installation = await startInstallation();
  onTestFinished(() => installation.close());
  const { party, server } = installation;
  const prepare = async (username: string) => {
    const { id } = await installation.addUser(username);
    const browser = createBrowser({ base: server.url, language: "de" });
    return {
      id,
      browser,
      typed: { username, password: TEST_PASSWORD },
      form: await openForm(browser, party.request().url),
    };
  };
  const testUsers = await Promise.all(NAMES.map(prepare));

  const letGo = await holdLock(installation.file);
  const heldSince = performance.now();
  const pressing = testUsers.map(async ({ form, typed }, at) => {
    await sleep(PRESSED_AFTER_MS[at]);
    const pressedAt = performance.now();
    const response = await form.post(typed);
    return { answer: response, waitedMs: performance.now() - pressedAt };
  });
  const ready = await sleep(3000).then(() => fetch(`${server.url}/readyz`));
  await sleep(HELD_MS - (performance.now() - heldSince));
  await letGo();
  const pressed = await Promise.all(pressing);

  // The disk is writable.
  expect(await ready.json()).toMatchObject({ checks: { writes: "ok" } });
  for (const { waitedMs } of pressed) expect(waitedMs).toBeLessThan(PATIENCE_MS);
  const outcomes = pressed.map(({ answer: response }) => hasSignedIn(response));
  expect(outcomes.at(-1)).toBe(true);

  for (const [at, { id, browser, form, typed }] of testUsers.entries()) {
    const response = outcomes[at] ? pressed[at]?.answer : await form.post(typed);
    if (response === undefined) throw new Error("no response to the sign-in");
    expect(redirectParameters(await followRedirects(browser, response))).toHaveProperty("code");
    expect(await findSignedInUser(party, browser)).toBe(id);
  }
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200);
  // One sign-in each, and an intact audit chain.
  expect(await installation.command("audit", "verify")).toMatchObject({ ok: true });
  const events = await installation.attempt(["audit", "list", "--type", "sign-in.succeeded", "--json"]);
  const users = [...events.stdout.matchAll(/"user_id": ?"(\w+)"/g)].map(([, id]) => id);
  expect(users.sort()).toEqual(testUsers.map(({ id }) => id).sort());
}, 180_000);
