import { availableParallelism } from "node:os";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HASH_QUEUE_LIMIT } from "#app/domain/password/hash.server.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { openForm, stateOf } from "./open-form.ts";

let calm: () => Promise<void>;

const server = await serverOfFile({ passwordChecks: "every" });
const anna = await server.users.create();
const party = await server.parties.create();

beforeEach(() => {
  calm = rushHour();
});

afterEach(() => calm());

/** Keeps the hashing queue full until the returned function is called. */
function rushHour(): () => Promise<void> {
  const concurrency = Math.max(1, availableParallelism() - 1);
  let isOver = false;
  const crowd = Array.from({ length: concurrency + HASH_QUEUE_LIMIT }, async () => {
    while (!isOver) await server.context.hasher.verify(null, "somebody else's");
  });
  return async () => {
    isOver = true;
    await Promise.all(crowd);
  };
}

describe("when more passwords wait than can be checked", () => {
  test("a sign-in gets 503 at once, with a filled form and Retry-After", async () => {
    const form = await openForm(server.browser(), party.request().url);
    const startedAt = performance.now();
    const page = await form.post({ username: anna.username, password: anna.password });
    expect([page.status, stateOf(page).error]).toEqual([503, "overloaded"]);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(Number(page.headers["retry-after"])).toBeGreaterThan(0);
    expect(page.page().text).toContain("Please try again in a few seconds");
    expect(page.page().one("input", { name: "username" }).attributes.value).toBe(anna.username);
    expect(page.page().form("/login/native").buttons[0]?.disabled).toBe(false);

    await calm();
    const again = await browserOf(form).submit(page, page.page().form("/login/native"), {
      username: anna.username,
      password: anna.password,
    });
    expect(again.status).toBe(303);
  });

  // Proves requirement 151.
  test("refused attempts are not counted", async () => {
    const form = await openForm(server.browser(), party.request().url);
    const typed = { username: anna.username, password: "Wrong-Window-27-Oak" };
    for (let tries = 0; tries < 12; tries += 1) expect((await form.post(typed)).status).toBe(503);
    await calm();
    expect((await form.post({ ...typed, password: anna.password })).status).toBe(303);
  });

  test("unknown user names are refused like known ones", async () => {
    const form = await openForm(server.browser(), party.request().url);
    expect((await form.post({ username: "nobody", password: "Wrong-Window-27-Oak" })).status).toBe(503);
  });

  test("pages without a password are as quick as ever", async () => {
    const startedAt = performance.now();
    expect((await server.browser().get("/healthz")).status).toBe(200);
    expect((await server.browser().get(party.request().url)).status).toBe(303);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});

const browserOf = ({ browser }: Awaited<ReturnType<typeof openForm>>) => browser;
