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
  test("ends when a response is lost; the page starts another one", async () => {
    const first = await call(await BEGINNINGS.chain());
    expect(first.status).toBe(200);
    const lost = nextOf(first);
    await call(lost);
    expectRefused(await call(lost));
    const page = await at.browser.get("/manage");
    expect((await call(String(stateOf(page).token))).status).toBe(200);
  });

  test("of one page does not disturb that of another", async () => {
    const one = await BEGINNINGS.page();
    const other = String(stateOf(await at.browser.get("/manage")).token);
    const next = nextOf(await call(one));
    expect((await call(other)).status).toBe(200);
    expect((await call(next)).status).toBe(200);
  });

  test("rests ten minutes at most, and lives thirty", async () => {
    const token = nextOf(await call(await BEGINNINGS.t()));
    server.clock.advance(10 * 60);
    expectRefused(await call(token));
    let next = nextOf(await call(await BEGINNINGS.t()));
    for (let minutes = 0; minutes < 27; minutes += 9) {
      server.clock.advance(9 * 60);
      next = nextOf(await call(next));
    }
    expect(next).not.toBe("");
    server.clock.advance(3 * 60);
    expectRefused(await call(next));
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

describe("a bearer that is none", () => {
  test("has no effect", async () => {
    const token = await BEGINNINGS.chain();
    const [id = "", counter = "", mac = ""] = token.split(".");
    const accessToken = await settingsClient.signIn(at.browser, at.anna);
    const { xsrf_token } = stateOf(await at.browser.get("/manage"));
    const forged = [
      `${id}.${Number(counter) + 1}.${mac}`,
      `${id}.0.${mac}`,
      `${id}.0${counter}.${mac}`,
      `${id}.${counter}.${mac.startsWith("A") ? "B" : "A"}${mac.slice(1)}`,
      `${id}.${counter}`,
      `${"a".repeat(22)}.${counter}.${mac}`,
      accessToken,
      String(xsrf_token),
      "a".repeat(43),
      "",
    ];
    for (const bearer of forged) expectRefused(await call(bearer));
    expectRefused(await sendApiRequest(server.url + USERINFO_CALL));
    expect((await call(token)).status).toBe(200);
  });

  test("is a cookie: the calls never look at one", async () => {
    await settingsClient.openSettings(at.browser, at.anna);
    expect((await at.browser.get("/manage")).status).toBe(200);
    expect((await at.browser.get(USERINFO_CALL)).status).toBe(401);
  });
});

describe("every response to a valid token", () => {
  test("carries the next one, refusals too, and spends the one it came with", async () => {
    let token = await BEGINNINGS.chain();
    const tries: [RequestInit, number][] = [
      [{ method: "POST" }, 405],
      [{ method: "DELETE" }, 405],
      [{ headers: { "content-type": "text/plain" } }, 200],
      [{}, 200],
    ];
    for (const [options, status] of tries) {
      const response = await call(token, options);
      expect(response.status).toBe(status);
      expectRefused(await call(token));
      token = nextOf(response);
    }
  });

  test("is not stored and cannot be read by other sites", async () => {
    const response = await call(await BEGINNINGS.t(), { headers: { origin: "https://evil.example" } });
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.has("access-control-allow-origin")).toBe(false);
    expect(response.headers.has("access-control-expose-headers")).toBe(false);
  });
});
