import { beforeEach, describe, expect, test } from "vitest";
import { FACTOR_LIMITS } from "#app/domain/pending-sign-in/attempts.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { refusalOf } from "#tests/http/login/open-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { giveKey, giveRecoveryCodes, giveTotp, newKey, type TestApp } from "#tests/support/factors.ts";
import { limitsInManual } from "#tests/support/security-manual.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { startCeremony, statusAndBody } from "./calls.ts";
import { type OpenStep, openStep } from "./steps.ts";

const FIVE_MINUTES = 5 * 60;
let anna: TestUser;
let app: TestApp;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  anna = await server.users.create();
  app = await giveTotp(server, anna);
});

const openHere = (user = anna, browser = server.browser()) => openStep(browser, party.request().url, user);

/** Returns a code that no step near the current time has. */
async function wrongCode(): Promise<string> {
  const near = await Promise.all(Array.from({ length: 31 }, (_, at) => app.code(at - 15)));
  return ["000000", "111111", "222222"].find((code) => !near.includes(code)) ?? "333333";
}

async function guess(step: OpenStep): Promise<HttpResponse> {
  return step.call("/mfa/verify-totp", { code: await wrongCode() });
}

async function guessTimes(count: number): Promise<number[]> {
  const step = await openHere();
  const statuses: number[] = [];
  for (let tries = 0; tries < count; tries += 1) statuses.push((await guess(step)).status);
  return statuses;
}

const times = (count: number, status: number) => Array.from({ length: count }, () => status);

function waitOf({ headers }: HttpResponse) {
  return Number(headers["retry-after"]);
}

// Proves requirement 35.
test("the limits are those that the manual promises", () => {
  const [minutes, hour, day] = limitsInManual("failed second factors of one user,");
  expect(FACTOR_LIMITS).toMatchObject({ minutes, hour, day });
});

describe("the wrong factors of one user", () => {
  // Proves requirement 35.
  test("are counted over all browsers, tokens and kinds: after ten nothing is checked, and the page shows the waiting time", async () => {
    await giveRecoveryCodes(server, anna);
    await giveKey(server, anna);
    const [first, second, third] = [await openHere(), await openHere(), await openHere()];
    expect((await first.post("/mfa/verify", { code: await wrongCode() })).status).toBe(400);
    expect((await guess(second)).status).toBe(400);
    expect((await second.post("/mfa/verify", { code: "00000-00000", method: "recovery" })).status).toBe(400);
    for (let tries = 0; tries < 7; tries += 1) {
      const stranger = newKey(server);
      expect((await third.call("/mfa/verify-fido2", stranger.assert(await startCeremony(third)))).status).toBe(400);
    }

    const step = await openHere();
    const page = await step.post("/mfa/verify", { code: await app.code() });
    expect([refusalOf(page), waitOf(page)]).toEqual([{ status: 429, error: "throttled" }, FIVE_MINUTES]);
    expect(page.page().text).toContain("Too many wrong codes. Please wait 5 minutes.");
    expect(await findSignedInUser(party, step.browser)).toBe("login_required");
    const call = await third.call("/mfa/verify-totp", { code: await app.code() });
    expect([statusAndBody(call), waitOf(call)]).toEqual([[429, { error: "throttled" }], FIVE_MINUTES]);
    expect((await third.call("/mfa/init-fido2")).status).toBe(429);

    server.clock.advance(FIVE_MINUTES - 30);
    const shorter = await (await openHere()).call("/mfa/verify-totp", { code: await app.code() });
    expect([shorter.status, waitOf(shorter)]).toEqual([429, 30]);
    server.clock.advance(31);
    const last = await openHere();
    codeOf(await followRedirects(last.browser, await last.post("/mfa/verify", { code: await app.code() })));
  });

  test("cost the set-up of a new app attempts as well", async () => {
    const { name } = await server.groups.create({ requireMfa: true });
    anna = await server.users.create({ groupName: name });
    const step = await openHere();
    await step.call("/mfa/init-totp");
    const set = () => step.call("/mfa/setup-totp", { code: "000000" });
    for (let tries = 0; tries < 10; tries += 1) expect((await set()).status).toBe(400);
    expect((await set()).status).toBe(429);
    const page = await step.post("/mfa/setup", { method: "totp", code: "000000" });
    expect([refusalOf(page), waitOf(page)]).toEqual([{ status: 429, error: "throttled" }, FIVE_MINUTES]);
    expect(page.page().text).toContain("Please wait 5 minutes.");
  });
});

test("the sign-in with a password is not affected while codes are throttled", async () => {
  expect(await guessTimes(11)).toEqual([...times(10, 400), 429]);
  const step = await openHere();
  expect([step.page.status, new URL(step.page.url).pathname]).toEqual([200, "/mfa/verify"]);
});
