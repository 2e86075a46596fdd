import { describe, expect, test } from "vitest";
import { removeExpiredSettings } from "#app/domain/clean-up/remove-expired.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects, open } from "#tests/http/oidc/browser-steps.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { type ApiResponse, sendApiRequest } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createSettingsClient, USERINFO_CALL } from "./steps.ts";

const server = await serverOfFile();
const settingsClient = await createSettingsClient(server);
const at = eachTest(async () => ({ anna: await server.users.create(), browser: server.browser() }));

/** Calls userinfo. */
async function call(token: string, options: RequestInit = {}): Promise<ApiResponse> {
  const headers = { authorization: `Bearer ${token}`, ...options.headers };
  return sendApiRequest(server.url + USERINFO_CALL, { ...options, headers });
}

function nextOf(response: ApiResponse): string {
  return response.headers.get("x-api-next-token") ?? "";
}

/** The three beginnings of a token chain, each with an unused token. */
const BEGINNINGS = {
  async t() {
    const url = await settingsClient.settingsUrl(await settingsClient.signIn(at.browser, at.anna));
    return new URL(url).searchParams.get("t") ?? "";
  },
  async page() {
    return String(stateOf(await settingsClient.openSettings(at.browser, at.anna)).token);
  },
  async chain() {
    return nextOf(await call(await BEGINNINGS.page()));
  },
} as const;

const starts = ["t", "page", "chain"] as const;

function expectRefused(response: ApiResponse): void {
  expect([response.status, response.json()]).toEqual([401, { error: "unauthorized" }]);
  expect(response.headers.has("x-api-next-token")).toBe(false);
}

describe.each(starts)("a token (%s)", (kind) => {
  test("is accepted after more than one space", async () => {
    expect((await call(` ${await BEGINNINGS[kind]()}`)).status).toBe(200);
  });

  test("works once, and returns the next one", async () => {
    let token = await BEGINNINGS[kind]();
    const used = [token];
    for (let calls = 0; calls < 4; calls += 1) {
      const response = await call(token);
      expect([response.status, response.json().user_id]).toEqual([200, at.anna.id]);
      token = nextOf(response);
      used.push(token);
    }
    expect(new Set(used).size).toBe(5);
    for (const spent of used.slice(0, -1)) expectRefused(await call(spent));
    // The refusal did not use the token up.
    expect((await call(token)).status).toBe(200);
  });

  test("works for one of many at the same moment", async () => {
    const token = await BEGINNINGS[kind]();
    const responses = await Promise.all(Array.from({ length: 8 }, () => call(token)));
    const won = responses.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const response of responses.filter((one) => !won.includes(one))) expectRefused(response);
  });

  test.each([
    ["a sign-out", signOut],
    ["a new password", async () => setUserPassword(server.context, at.anna.username, "Another-Window-28-Elm")],
    ["a block", async () => blockUser(server.context, at.anna.username)],
  ])("is dead after %s", async (_what, end) => {
    const token = await BEGINNINGS[kind]();
    await end();
    expectRefused(await call(token));
  });
});

async function signOut(): Promise<void> {
  const page = await open(at.browser, settingsClient.party.logoutUrl());
  await followRedirects(at.browser, await at.browser.submit(page, page.page().form("/logout/accept")));
}

describe("a chain", () => {
  test("of one page does not disturb that of another", async () => {
    const one = await BEGINNINGS.page();
    const other = String(stateOf(await at.browser.get("/manage")).token);
    const next = nextOf(await call(one));
    expect((await call(other)).status).toBe(200);
    expect((await call(next)).status).toBe(200);
  });

  test("keeps its page open", async () => {
    let token = await BEGINNINGS.page();
    for (const _ of [1, 2]) {
      server.clock.advance(9 * 60);
      token = nextOf(await call(token));
    }
    expect((await at.browser.get("/manage")).status).toBe(200);
  });

  test("of a page cannot restart after its rows were removed", async () => {
    const token = await BEGINNINGS.page();
    await call(token);
    server.clock.advance(9 * 60);
    await removeExpiredSettings(server.context);
    expectRefused(await call(token));
    server.clock.advance(30 * 60);
    await removeExpiredSettings(server.context);
    expectRefused(await call(token));
    expect(await server.context.store.q.$count(server.context.store.t.manageSessions)).toBe(0);
    expect(await server.context.store.q.$count(server.context.store.t.manageChains)).toBe(0);
  });
});
