import { describe, expect, test } from "vitest";
import { findUser } from "#app/db/repositories/users.server.ts";
import { listWebauthnCredentials } from "#app/db/repositories/webauthn-credentials.server.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import { allow, followRedirects, open } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, hasForm, leaves } from "#tests/http/oidc/responses.ts";
import type { Browser, FormValues, HttpResponse } from "#tests/support/browser-jar.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { giveKey, givePasskey, giveTotp, newKey, type TestKey } from "#tests/support/factors.ts";
import { readTokens } from "#tests/support/relying-party.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { stateOf } from "./open-form.ts";
import { answerOffer, createOffered, OFFER, requestOptions, signInOnDevice } from "./passkey-offer-form.ts";

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });
const strict = await server.parties.create({ firstParty: false });

const at = eachTest(async () => ({ anna: await server.users.create(), browser: server.browser() }));

type Visit = { browser?: Browser; device?: string; user?: TestUser; url?: string };

/** Signs in with the password, in a browser whose script reported a device that can keep a passkey. */
const signIn = ({ browser = at.browser, device = "yes", user = at.anna, url }: Visit = {}) =>
  signInOnDevice(browser, { url: url ?? party.request().url, user, device });

const options = (page: HttpResponse, browser = at.browser, xsrf?: string) => requestOptions(browser, page, xsrf);

const created = (page: HttpResponse, { key = newKey(server), uv = true, browser = at.browser } = {}) =>
  createOffered(browser, page, { key, uv });

const answer = (page: HttpResponse, values: FormValues, browser = at.browser) => answerOffer(browser, page, values);

const keysOf = ({ id }: TestUser) => listWebauthnCredentials(server.context.store, id);

describe("a passkey is offered", () => {
  // Proves requirement 255.
  test("after a sign-in with the password on a device that can, and starts nothing by itself", async () => {
    const page = await signIn();
    expect([page.status, hasForm(page, OFFER)]).toEqual([200, true]);
    expect(page.page().title).toContain("Set up a passkey?");
    expect(page.page().text).toContain("Then stay with the authenticator app.");
    const { t, q } = server.context.store;
    const tokens = await q.select().from(t.oneTimeTokens);
    expect(tokens.filter(({ kind, userId }) => kind === "webauthn-registration" && userId === at.anna.id)).toEqual([]);
  });

  test("after the second step", async () => {
    const app = await giveTotp(server, at.anna);
    const step = await signIn();
    const page = await followRedirects(
      at.browser,
      await at.browser.submit(step, step.page().form("/mfa/verify"), { code: await app.code() }),
    );
    expect(hasForm(page, OFFER)).toBe(true);
  });

  test.each([
    ["on a device that cannot, and without a script", { device: "" }],
    ["on a device that reports anything else", { device: "no" }],
  ])("not %s", async (_where, visit) => {
    expect(leaves(await signIn(visit))).toBe(true);
  });

  test("not to a user who has a passkey, but to one with a security key", async () => {
    await givePasskey(server, at.anna);
    expect(hasForm(await signIn(), OFFER)).toBe(false);
    const berta = await server.users.create();
    await giveKey(server, berta);
    expect((await signIn({ user: berta, browser: server.browser() })).status).toBe(200);
  });

  test("not by a session that exists, and not with prompt=none", async () => {
    const page = await signIn();
    expect(leaves(await open(at.browser, party.request().url))).toBe(true);
    expect(leaves(await open(at.browser, party.request({ prompt: "none" }).url))).toBe(true);
    expect(hasForm(page, OFFER)).toBe(true);
  });

  test("once in a request: the sign-in goes on to the consent", async () => {
    const page = await signIn({ url: strict.request().url });
    const next = await followRedirects(at.browser, await answer(page, { cancel: "later" }));
    expect(hasForm(next, "/consent/accept")).toBe(true);
    expect(leaves(await allow(at.browser, next))).toBe(true);
  });
});

describe("the offer of a passkey", () => {
  test("that is declined is not repeated for 90 days, in any browser", async () => {
    const page = await signIn();
    expect(leaves(await followRedirects(at.browser, await answer(page, { cancel: "later" })))).toBe(true);
    const other = server.browser();
    expect(leaves(await signIn({ browser: other }))).toBe(true);
    server.clock.advance(90 * DAY_SECONDS - 1);
    expect(leaves(await signIn({ browser: server.browser() }))).toBe(true);
    server.clock.advance(1);
    expect(hasForm(await signIn({ browser: server.browser() }), OFFER)).toBe(true);
  });

  // Proves requirement 256.
  test("that is accepted adds the passkey to the sign-in, which continues with two factors", async () => {
    const request = party.request({ prompt: "login" });
    const page = await signIn({ url: request.url });
    const left = await followRedirects(at.browser, await answer(page, await created(page)));
    expect(leaves(left)).toBe(true);
    expect(await keysOf(at.anna)).toMatchObject([{ isPasskey: true, name: "Passkey" }]);
    const { idToken } = readTokens(await party.exchange(codeOf(left), request));
    const { payload } = await party.verifyIdToken(idToken);
    expect(payload).toMatchObject({ sub: at.anna.id, acr: "urn:gatehouse:acr:mfa" });
    expect(payload.amr).toEqual(expect.arrayContaining(["pwd", "swk", "mfa"]));
    expect(leaves(await open(at.browser, party.request().url))).toBe(true);
  });

  test.each([
    ["without user verification", { uv: false }],
    ["that another user has", { isForeign: true }],
  ])("refuses a passkey %s, and can still be declined", async (_what, bend) => {
    const page = await signIn();
    const foreign: TestKey = await givePasskey(server, await server.users.create());
    const { uv, isForeign } = { uv: true, isForeign: false, ...bend };
    const again = await answer(page, await created(page, { uv, ...(isForeign ? { key: foreign } : {}) }));
    expect([again.status, stateOf(again).error]).toEqual([400, "security key refused"]);
    expect(await keysOf(at.anna)).toEqual([]);
    expect(leaves(await followRedirects(at.browser, await answer(again, { cancel: "later" })))).toBe(true);
  });

  // Proves requirement 256.
  test("accepts the response to its own challenge once, of this browser and user", async () => {
    const page = await signIn();
    const berta = { browser: server.browser(), user: await server.users.create() };
    const elsewhere = await signIn(berta);
    const response = await created(elsewhere, berta);
    expect((await answer(page, response)).status).toBe(400);
    expect(await keysOf(at.anna)).toEqual([]);
    // The foreign response has consumed the challenge.
    expect((await answer(elsewhere, response, berta.browser)).status).toBe(400);
    expect((await answer(elsewhere, await created(elsewhere, berta), berta.browser)).status).toBe(303);
    expect(await keysOf(berta.user)).toHaveLength(1);
  });

  test("gives its options to its own page alone", async () => {
    const page = await signIn();
    expect((await options(page, at.browser, "x")).status).toBe(403);
    expect((await options(page, server.browser())).status).toBe(403);
    expect((await at.browser.get(`${OFFER}/options`)).status).toBe(405);
  });

  test("that is old leads on without a passkey", async () => {
    const page = await signIn();
    server.clock.advance(10 * 60 + 1);
    const { status, body } = await options(page);
    expect([status, JSON.parse(body)]).toEqual([403, { error: "reauthentication_required" }]);
    const { login_challenge: challenge } = stateOf(page);
    const left = await open(at.browser, `${OFFER}?${new URLSearchParams({ login_challenge: String(challenge) })}`);
    expect(leaves(left)).toBe(true);
    expect((await findUser(server.context.store, at.anna.id))?.passkeyOfferAfter).toBeNull();
  });

  test("does nothing for a form of another page or with an unknown field", async () => {
    const page = await signIn();
    const refused = await answer(page, { _xsrf: "x", cancel: "later" });
    expect([refused.status, stateOf(refused).error]).toEqual([403, "xsrf"]);
    expect((await answer(page, { cancel: "later", unknown: "x" })).status).toBe(400);
    expect((await findUser(server.context.store, at.anna.id))?.passkeyOfferAfter).toBeNull();
  });
});
