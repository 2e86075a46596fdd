import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { whoIsSignedIn } from "#tests/http/login/live-session.ts";
import { openForm, stateOf } from "#tests/http/login/open-form.ts";
import { toldTo, walk } from "#tests/http/oidc/person.ts";
import { openOffice } from "#tests/http/restore/installation.ts";
import { type Answer, createBrowser } from "#tests/support/browser-jar.ts";
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
  const holder = spawn(program, [file], { env, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void holder.kill("SIGKILL"));
  holder.stdin.write(".timeout 5000\nBEGIN IMMEDIATE;\n.print held\n");
  await once(holder.stdout, "data");
  return async () => {
    holder.stdin.end("ROLLBACK;\n");
    await once(holder, "exit");
  };
}

/** Returns whether the sign-in succeeded; otherwise expects an error page without a session. */
function hasSignedIn(answer: Answer): boolean {
  if (answer.status === 303) return true;
  expect([answer.status, answer.page().lang]).toEqual([503, "de"]);
  const { reference } = Object(stateOf(answer).server_error);
  expect(answer.page().text).toContain(reference);
  expect(answer.setCookies.filter((cookie) => cookie.startsWith("gatehouse_session"))).toEqual([]);
  return false;
}

test("a database that another process holds for ten seconds: everybody is answered, late or with a page, and nothing is half done", async () => {
  const office = await openOffice();
  onTestFinished(() => office.close());
  const { party, server } = office;
  const prepare = async (username: string) => {
    const { id } = await office.addUser(username);
    const browser = createBrowser({ base: server.url, language: "de" });
    return {
      id,
      browser,
      typed: { username, password: TEST_PASSWORD },
      form: await openForm(browser, party.request().url),
    };
  };
  const people = await Promise.all(NAMES.map(prepare));

  const letGo = await holdLock(office.file);
  const heldSince = performance.now();
  const pressing = people.map(async ({ form, typed }, at) => {
    await sleep(PRESSED_AFTER_MS[at]);
    const pressedAt = performance.now();
    const answer = await form.post(typed);
    return { answer, waitedMs: performance.now() - pressedAt };
  });
  const ready = await sleep(3000).then(() => fetch(`${server.url}/readyz`));
  await sleep(HELD_MS - (performance.now() - heldSince));
  await letGo();
  const pressed = await Promise.all(pressing);

  // The disk is writable.
  expect(await ready.json()).toMatchObject({ checks: { writes: "ok" } });
  for (const { waitedMs } of pressed) expect(waitedMs).toBeLessThan(PATIENCE_MS);
  const outcomes = pressed.map(({ answer }) => hasSignedIn(answer));
  expect(outcomes.at(-1)).toBe(true);

  for (const [at, { id, browser, form, typed }] of people.entries()) {
    const answer = outcomes[at] ? pressed[at]?.answer : await form.post(typed);
    if (answer === undefined) throw new Error("nobody was asked");
    expect(toldTo(await walk(browser, answer))).toHaveProperty("code");
    expect(await whoIsSignedIn(party, browser)).toBe(id);
  }
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status, { timeout: 10_000 }).toBe(200);
  // One sign-in each, and an intact audit chain.
  expect(await office.command("audit", "verify")).toMatchObject({ ok: true });
  const events = await office.attempt(["audit", "list", "--type", "sign-in.succeeded", "--json"]);
  const users = [...events.stdout.matchAll(/"user_id": ?"(\w+)"/g)].map(([, id]) => id);
  expect(users.sort()).toEqual(people.map(({ id }) => id).sort());
}, 180_000);
