import { beforeEach, describe, expect, test } from "vitest";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { refusalOf } from "#tests/http/login/open-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { giveKey, giveRecoveryCodes, giveTotp, type TestApp, testApp } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { statusAndBody, tokenOf } from "./calls.ts";
import { finish, openStep, readStep } from "./steps.ts";

const refused = (reason: string, clockOffSeconds: number | null = null) => [
  400,
  { error: "invalid verification code", reason, clockOffSeconds },
];
let anna: TestUser;
let app: TestApp;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  anna = await server.users.create();
  app = await giveTotp(server, anna);
  // Well inside a step of 30 s.
  server.clock.set(new Date(Math.ceil(server.clock.now().getTime() / 60_000) * 60_000 + 10_000));
});

const openHere = (browser = server.browser()) => openStep(browser, party.request().url, anna);

async function check(code: string) {
  return (await openHere()).call("/mfa/verify-totp", { code });
}

describe("a code of an authenticator app that the user does not have", () => {
  test("is totp not found for the call, and a wrong code for the form, which also takes recovery codes", async () => {
    anna = await server.users.create();
    await giveKey(server, anna);
    await giveRecoveryCodes(server, anna);
    const step = await openHere();
    expect(statusAndBody(await step.call("/mfa/verify-totp", { code: "123456" }))).toEqual([
      400,
      { error: "totp not found" },
    ]);
    const page = await step.post("/mfa/verify", { code: "123456", method: "recovery" });
    expect(refusalOf(page)).toEqual({ status: 400, error: "invalid verification code" });
    expect(await findSignedInUser(party, step.browser)).toBe("login_required");
  });
});

describe("a code of the authenticator app is single-use", () => {
  // Proves requirement 29.
  test("also at another sign-in, by the form and by the call, with the text for a used code", async () => {
    const code = await app.code();
    const first = await openHere();
    codeOf(await finish(first, await first.call("/mfa/verify-totp", { code })));
    expect(statusAndBody(await check(code))).toEqual(refused("used"));
    const again = await openHere();
    const page = await again.post("/mfa/verify", { code });
    expect(refusalOf(page)).toEqual({ status: 400, error: "invalid verification code" });
    expect(page.page().text).toContain("This code has already been used");
    expect(await findSignedInUser(party, again.browser)).toBe("login_required");
    server.clock.advance(20);
    expect((await check(await app.code())).status).toBe(200);
  });

  // Proves requirement 29.
  test("the one that confirmed the app's set-up is used up by that", async () => {
    const { name } = await server.groups.create({ requireMfa: true });
    anna = await server.users.create({ groupName: name });
    const step = await openHere();
    const { secret } = Object((await step.call("/mfa/init-totp")).json());
    const code = await testApp(server.clock, String(secret)).code();
    codeOf(await finish(step, await step.call("/mfa/setup-totp", { code })));
    expect(statusAndBody(await check(code))).toEqual(refused("used"));
    server.clock.advance(30);
    expect((await check(await testApp(server.clock, String(secret)).code())).status).toBe(200);
  });
});

describe("a device whose clock is wrong", () => {
  test.each([
    [4, 120, "120 seconds fast"],
    [-6, -180, "180 seconds slow"],
  ])("by %i steps is reported after two codes, and neither is ever accepted", async (steps, seconds, text) => {
    const step = await openHere();
    const first = await app.code(steps);
    expect(statusAndBody(await step.call("/mfa/verify-totp", { code: first }))).toEqual(refused("wrong"));
    server.clock.advance(30);
    const second = await app.code(steps);
    expect(statusAndBody(await step.call("/mfa/verify-totp", { code: second }))).toEqual(refused("wrong", seconds));
    server.clock.advance(30);
    const page = await step.post("/mfa/verify", { code: await app.code(steps) });
    expect(refusalOf(page)).toEqual({ status: 400, error: "invalid verification code" });
    expect(page.page().text).toContain(text);
  });
});

describe("the caller's time", () => {
  const at = (seconds: number) => new Date(server.clock.now().getTime() + seconds * 1000);

  async function checkAt(code: string, moment: Date): Promise<HttpResponse> {
    const { browser, mfaToken, xsrf } = await openHere();
    const time = {
      time: moment.toISOString(),
      timestamp: moment.getTime(),
      epoch: moment.getTime() / 1000,
      now: moment,
    };
    const headers = { authorization: `Bearer ${mfaToken}`, "x-xsrf-token": xsrf, date: moment.toUTCString() };
    return browser.postJson("/mfa/verify-totp", { code, ...time }, { headers });
  }

  // Proves requirement 36.
  test("makes no code good before or after its time", async () => {
    expect(statusAndBody(await checkAt(await app.code(2), at(60)))).toEqual(refused("wrong"));
    expect(statusAndBody(await checkAt(await app.code(-4), at(-120)))).toEqual(refused("wrong"));
  });

  test("locks out no correct code", async () => {
    tokenOf(await checkAt(await app.code(), at(-86_400)));
  });
});

describe("a typed code", () => {
  const written: [string, (code: string) => string][] = [
    ["with a space", (code) => `${code.slice(0, 3)} ${code.slice(3)}`],
    ["with a hyphen", (code) => `${code.slice(0, 3)}-${code.slice(3)}`],
    ["with spaces around it", (code) => `  ${code}\t`],
    ["in full-width digits", (code) => code.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))],
  ];

  // Proves requirement 37.
  test.each(written)("%s is the same code, by the form and by the call", async (_how, write) => {
    const step = await openHere();
    codeOf(await followRedirects(step.browser, await step.post("/mfa/verify", { code: write(await app.code()) })));
    server.clock.advance(30);
    expect((await check(write(await app.code()))).status).toBe(200);
  });

  // Proves requirement 37.
  test.each(["abcdef", "12345", "1234567", "12345a", "\u0660\u0661\u0662\u0663\u0664\u0665", "<b>", "a".repeat(200)])(
    "that cannot be valid is an error at its field and does not count as an attempt: %s",
    async (code) => {
      let step = await openHere();
      for (let tries = 0; tries < 6; tries += 1) {
        const page = await step.post("/mfa/verify", { code });
        expect(refusalOf(page)).toEqual({ status: 400, error: "invalid verification code" });
        expect(page.page().one("input", { name: "code" }).attributes["aria-invalid"]).toBe("true");
        expect(page.page().text).toContain("The code must be 6 digits");
        step = readStep(step.browser, page);
      }
      const call = await step.call("/mfa/verify-totp", { code });
      expect(statusAndBody(call)).toEqual([400, { error: "invalid verification code", reason: "malformed" }]);
      tokenOf(await step.call("/mfa/verify-totp", { code: await app.code() }));
    },
  );
});
