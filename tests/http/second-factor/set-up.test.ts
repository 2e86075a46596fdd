import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { giveKey, giveTotp, newKey, type TestApp, testApp } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { startCeremony, statusAndBody, tokenOf } from "./calls.ts";
import { type OpenStep, openStep, readStep } from "./steps.ts";

const HAS_FACTOR = [403, { error: "factor already registered" }];
const SECRET = /secret=([A-Z2-7]{32})/;
let groupName: string;
let anna: TestUser;
let step: OpenStep;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

/** Anna's group requires a second factor, and she has none. */
beforeEach(async () => {
  groupName = (await server.groups.create({ requireMfa: true })).name;
  anna = await server.users.create({ groupName });
  step = await openHere();
});

const openHere = (user = anna, browser = server.browser()) => openStep(browser, party.request().url, user);

async function startAppSetUp(from = step): Promise<TestApp> {
  const { secret } = Object((await from.call("/mfa/init-totp")).json());
  return testApp(server.clock, String(secret));
}

async function rowsOf({ id }: TestUser = anna) {
  const { t, q } = server.context.store;
  return q.select().from(t.totpCredentials).where(eq(t.totpCredentials.userId, id));
}

describe("a user with a factor sets up none during a sign-in", () => {
  const factors: [string, () => Promise<unknown>][] = [
    ["an app", () => giveTotp(server, anna)],
    ["a security key", () => giveKey(server, anna)],
  ];

  // Proves requirement 55.
  test.each(factors)("by the calls, started before or after: %s", async (_what, give) => {
    const app = await startAppSetUp();
    await give();
    const before = await rowsOf();
    expect(statusAndBody(await step.call("/mfa/setup-totp", { code: await app.code() }))).toEqual(HAS_FACTOR);
    expect(statusAndBody(await step.call("/mfa/init-totp"))).toEqual(HAS_FACTOR);
    expect(await rowsOf()).toEqual(before);
    expect(await findSignedInUser(party, step.browser)).toBe("login_required");
  });

  // Proves requirement 55.
  test.each(factors)("by the pages, started before or after: %s", async (_what, give) => {
    const shown = await followRedirects(step.browser, await step.post("/mfa/setup", { method: "totp" }));
    const app = testApp(server.clock, SECRET.exec(shown.body)?.[1] ?? "");
    await give();
    const before = await rowsOf();
    const refused = await readStep(step.browser, shown).post("/mfa/setup", { method: "totp", code: await app.code() });
    expect([refused.status, stateOf(refused).error]).toEqual([403, "factor already registered"]);
    expect(refused.page().text).toContain("Your second factor is set up. Now confirm your sign-in with it.");
    const again = await followRedirects(
      step.browser,
      await readStep(step.browser, refused).post("/mfa/setup", { method: "totp" }),
    );
    expect([new URL(again.url).pathname, SECRET.test(again.body)]).toEqual(["/mfa/verify", false]);
    expect(await rowsOf()).toEqual(before);
    expect(await findSignedInUser(party, step.browser)).toBe("login_required");
  });
});

describe("two set-ups at once leave one factor", () => {
  test("of an app and a security key", async () => {
    const other = await openHere();
    const app = await startAppSetUp();
    const { sessionId, ...options } = await startCeremony(other, "/mfa/init-fido2-registration");
    const credentialJson = JSON.stringify(newKey(server).register(options));
    const responses = await Promise.all([
      step.call("/mfa/setup-totp", { code: await app.code() }),
      other.call("/mfa/setup-fido2", { sessionId, credentialJson }),
    ]);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const { t, q } = server.context.store;
    const keys = await q.$count(t.webauthnCredentials, eq(t.webauthnCredentials.userId, anna.id));
    expect((await rowsOf()).length + keys).toBe(1);
  });
});

describe("a factor that was set up", () => {
  test("is written down with who, where and for which application, without its secret", async () => {
    const app = await startAppSetUp();
    tokenOf(await step.call("/mfa/setup-totp", { code: await app.code() }));
    const line = server.lines().findLast(({ event }) => event === "factor.added");
    expect(line).toMatchObject({ userId: anna.id, outcome: "ok", reason: "totp" });
  });
});

describe("the secret of an app", () => {
  // Proves requirement 33.
  test("lies sealed in the database before and after, and in no line of the log", async () => {
    const { secretBase32, code } = await startAppSetUp();
    const { t, q } = server.context.store;
    const pending = await q.select().from(t.oneTimeTokens).where(ofSetUp(anna));
    expect(pending).toHaveLength(1);
    tokenOf(await step.call("/mfa/setup-totp", { code: await code() }));
    const rows = await rowsOf();
    const opened = rows.map(({ sealedSecret }) => server.context.secrets.open("totp", sealedSecret));
    expect(await Promise.all(opened)).toEqual([secretBase32]);
    expect(JSON.stringify([pending, rows, server.lines()])).not.toContain(secretBase32);
    expect(await q.$count(t.oneTimeTokens, ofSetUp(anna))).toBe(0);
  });

  // Proves requirement 33.
  test("is not returned after the app is confirmed", async () => {
    const { secretBase32, code } = await startAppSetUp();
    const confirmed = await step.call("/mfa/setup-totp", { code: await code() });
    const responses = [confirmed, await step.call("/mfa/init-totp", {}, { mfaToken: tokenOf(confirmed) })];
    for (const path of ["/mfa/setup?method=totp&", "/mfa/verify?", "/mfa/recovery-codes?"]) {
      responses.push(
        await followRedirects(step.browser, await step.browser.get(`${path}login_challenge=${step.challenge}`)),
      );
    }
    for (const { body } of responses) expect(body).not.toContain(secretBase32);
  });

  test("is shown again to its own sign-in alone while it is not confirmed", async () => {
    const shown = await followRedirects(step.browser, await step.post("/mfa/setup", { method: "totp" }));
    const [, secret = ""] = SECRET.exec(shown.body) ?? [];
    expect((await step.browser.get(shown.url)).body).toContain(secret);
    expect(shown.headers["cache-control"]).toBe("no-store");
    const other = await openHere();
    const theirs = await followRedirects(
      other.browser,
      await other.browser.get(`/mfa/setup?method=totp&login_challenge=${other.challenge}`),
    );
    expect(theirs.body).not.toContain(secret);
  });

  // Proves requirement 55.
  test("of another sign-in, of the same user too, confirms nothing", async () => {
    const other = await openHere();
    const [mine, theirs] = [await startAppSetUp(), await startAppSetUp(other)];
    expect((await step.call("/mfa/setup-totp", { code: await theirs.code() })).status).toBe(400);
    tokenOf(await step.call("/mfa/setup-totp", { code: await mine.code() }));
  });

  const ofSetUp = ({ id }: TestUser) => {
    const { oneTimeTokens } = server.context.store.t;
    return and(eq(oneTimeTokens.userId, id), eq(oneTimeTokens.kind, "totp-setup"));
  };
});
