import { and, eq, isNull } from "drizzle-orm";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { DomainError } from "#app/domain/base/errors.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { refusalOf } from "#tests/http/login/open-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { giveRecoveryCodes, giveTotp, type TestApp, testApp } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { statusAndBody, tokenOf } from "./calls.ts";
import { type OpenStep, openStep, readStep } from "./steps.ts";

const CODE = /\b[0-9A-Z]{5}-[0-9A-Z]{5}\b/g;
let anna: TestUser;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

const openHere = (user = anna, browser = server.browser()) => openStep(browser, party.request().url, user);

const codesOn = ({ body }: HttpResponse) => [...new Set(body.match(CODE) ?? [])];

async function countCodes({ id }: TestUser): Promise<number> {
  const { t, q } = server.context.store;
  return q.$count(t.recoveryCodes, and(eq(t.recoveryCodes.userId, id), isNull(t.recoveryCodes.usedAt)));
}

async function expectRefused(step: OpenStep, code: string) {
  const page = await step.post("/mfa/verify", { code, method: "recovery" });
  expect(refusalOf(page)).toEqual({ status: 400, error: "invalid verification code" });
  expect(page.page().text).toContain("This code is not valid or has already been used.");
  expect(await findSignedInUser(party, step.browser)).toBe("login_required");
}

describe("a recovery code", () => {
  let codes: string[];
  let app: TestApp;

  beforeEach(async () => {
    anna = await server.users.create();
    app = await giveTotp(server, anna);
    codes = await giveRecoveryCodes(server, anna);
  });

  test("works once, by the form and by the call, and the other nine stay valid", async () => {
    const [code = "", other = ""] = codes;
    const step = await openHere();
    codeOf(await followRedirects(step.browser, await step.post("/mfa/verify", { code, method: "recovery" })));
    expect(await countCodes(anna)).toBe(9);
    const second = await openHere();
    await expectRefused(second, code);
    const third = await openHere();
    expect(statusAndBody(await third.call("/mfa/verify-totp", { code }))).toEqual([
      400,
      { error: "invalid verification code", reason: "used", clockOffSeconds: null },
    ]);
    tokenOf(await third.call("/mfa/verify-totp", { code: other.toLowerCase().replace("-", " ") }));
    expect(await countCodes(anna)).toBe(8);
  });

  test("for which the hash queue has no place is asked again on the same form, and works then", async () => {
    const [code = ""] = codes;
    const step = await openHere();
    vi.spyOn(server.context.hasher, "hashLike").mockRejectedValueOnce(new DomainError("overloaded"));
    const busy = await step.post("/mfa/verify", { code, method: "recovery" });
    expect([refusalOf(busy), busy.headers["retry-after"]]).toEqual([{ status: 503, error: "overloaded" }, "5"]);
    const again = await readStep(step.browser, busy).post("/mfa/verify", { code, method: "recovery" });
    codeOf(await followRedirects(step.browser, again));
  });

  test("is not accepted instead of the password", async () => {
    const [code = ""] = codes;
    const browser = server.browser();
    const response = await browser.post("/mfa/verify", { code, method: "recovery" });
    expect((await followRedirects(browser, response)).location).toBeNull();
    expect(await findSignedInUser(party, browser)).toBe("login_required");
    expect(await countCodes(anna)).toBe(10);
  });

  test("is written down when it is used, but not which", async () => {
    const [code = ""] = codes;
    tokenOf(await (await openHere()).call("/mfa/verify-totp", { code }));
    const lines = server.lines().filter(({ event }) => event === "recovery-code.used");
    expect(lines.at(-1)).toMatchObject({ userId: anna.id, outcome: "ok" });
    const log = JSON.stringify(server.lines());
    for (const part of codes.flatMap((one) => [one, one.replace("-", "")])) expect(log).not.toContain(part);
  });

  describe("is not created", () => {
    const kinds: [string, (step: OpenStep) => Promise<OpenStep>][] = [
      ["who has typed a password alone", async (step) => step],
      [
        "who entered a code of the app and set up nothing",
        async (step) => {
          tokenOf(await step.call("/mfa/verify-totp", { code: await app.code() }));
          return readStep(step.browser, await step.browser.get(step.page.url));
        },
      ],
    ];

    test.each(kinds)("for a user %s: the page redirects back, the old ones stay", async (_kind, bring) => {
      const step = await bring(await openHere());
      const made = await step.post("/mfa/recovery-codes");
      expect([made.status, codesOn(made)]).toEqual([303, []]);
      expect(new URL(made.location ?? "").pathname).toBe("/mfa/verify");
      const [code = ""] = codes;
      tokenOf(await (await openHere()).call("/mfa/verify-totp", { code }));
    });
  });
});

describe("recovery codes after a set-up during a sign-in", () => {
  let offer: OpenStep;

  beforeEach(async () => {
    const { name } = await server.groups.create({ requireMfa: true });
    anna = await server.users.create({ groupName: name });
    const step = await openHere();
    const { secret } = Object((await step.call("/mfa/init-totp")).json());
    const code = await testApp(server.clock, String(secret)).code();
    const token = tokenOf(await step.call("/mfa/setup-totp", { code }));
    const page = await followRedirects(step.browser, await step.post("/mfa/setup", { mfa_token: token }));
    offer = readStep(step.browser, page);
  });

  test("for which the hash queue has no place are offered again, and created then", async () => {
    vi.spyOn(server.context.hasher, "hash").mockRejectedValueOnce(new DomainError("overloaded"));
    const busy = await offer.post("/mfa/recovery-codes");
    expect([refusalOf(busy), busy.headers["retry-after"]]).toEqual([{ status: 503, error: "overloaded" }, "5"]);
    expect(codesOn(await readStep(offer.browser, busy).post("/mfa/recovery-codes"))).toHaveLength(10);
  });

  test("are offered, and created by a plain form, ten of them, once", async () => {
    expect([new URL(offer.page.url).pathname, codesOn(offer.page)]).toEqual(["/mfa/recovery-codes", []]);
    const shown = await offer.post("/mfa/recovery-codes");
    expect([shown.status, codesOn(shown).length]).toEqual([200, 10]);
    expect(shown.headers["cache-control"]).toBe("no-store");
    const second = await readStep(offer.browser, shown).post("/mfa/recovery-codes");
    expect(codesOn(second).filter((code) => codesOn(shown).includes(code))).toEqual([]);
    const reloaded = await offer.browser.get(offer.page.url);
    expect([reloaded.status, codesOn(reloaded)]).toEqual([200, []]);
    expect(await countCodes(anna)).toBe(10);
  });

  test("are created once for a form that is sent five times at once", async () => {
    const responses = await Promise.all([1, 2, 3, 4, 5].map(() => offer.post("/mfa/recovery-codes")));
    expect(responses.filter((response) => codesOn(response).length > 0)).toHaveLength(1);
    expect(await countCodes(anna)).toBe(10);
  });

  test("are not created in another browser, nor with the token of another sign-in", async () => {
    const stranger = server.browser();
    const fields = { _xsrf: offer.xsrf, login_challenge: offer.challenge, mfa_token: offer.mfaToken };
    expect(codesOn(await stranger.post("/mfa/recovery-codes", fields))).toEqual([]);
    const other = await openHere();
    expect(codesOn(await other.post("/mfa/recovery-codes"))).toEqual([]);
    expect(codesOn(await offer.post("/mfa/recovery-codes", { mfa_token: other.mfaToken }))).toEqual([]);
    expect(await countCodes(anna)).toBe(0);
  });

  test("can be left out: the sign-in ends without them", async () => {
    codeOf(await followRedirects(offer.browser, await offer.post("/mfa/verify")));
    expect(await countCodes(anna)).toBe(0);
  });
});
