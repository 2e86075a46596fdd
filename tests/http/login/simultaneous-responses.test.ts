// Proves requirement 130.
import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { followRedirects, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { hasForm, redirectParameters } from "#tests/http/oidc/responses.ts";
import { openStep } from "#tests/http/second-factor/steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { findSignedInUser } from "./live-session.ts";
import { openForm, stateOf, tokensOf } from "./open-form.ts";

const AT_ONCE = 6;
let anna: TestUser;
let bernd: TestUser;
let browser: Browser;

const server = await serverOfFile({ passwordChecks: "every" });
const create = (input: object) => server.parties.create(input);
/** First party, without consent. */
const party = await create({ firstParty: true });
/** Third party, with consent. */
const stranger = await create({ scopes: ["openid", "profile"] });

beforeEach(async () => {
  [anna, bernd] = [await server.users.create(), await server.users.create()];
  browser = server.browser();
});

const typedBy = ({ username, password }: TestUser) => ({ username, password });

/** Sends the same request several times simultaneously and follows each response. */
const atOnce = (send: () => Promise<HttpResponse>) =>
  Promise.all(Array.from({ length: AT_ONCE }, async () => followRedirects(browser, await send())));

/** Returns the outcome: a code, the used state with a live session, the disabled form, or another status. */
function endOf(response: HttpResponse): string {
  if (response.location !== null) {
    return "code" in redirectParameters(response) ? "code" : `told ${redirectParameters(response).error}`;
  }
  const { error, login_result } = stateOf(response);
  if (response.status === 200 && login_result) return "used";
  if (response.status === 400 && error === "challenge") return "used";
  return `${response.status} ${error} ${response.url}`;
}

function expectOneCode(responses: readonly HttpResponse[]) {
  expect(responses.map(endOf).sort()).toEqual(["code", ...Array.from({ length: AT_ONCE - 1 }, () => "used")]);
}

async function countEvents(type: "consent.refused" | "consent.granted") {
  const { t, q } = server.context.store;
  return q.$count(t.auditEvents, and(eq(t.auditEvents.type, type), eq(t.auditEvents.userId, anna.id)));
}

describe("of several simultaneous responses, followed to the end, one reaches the application and the others get the page of a used request:", () => {
  test("a sign-in form", async () => {
    const form = await openForm(browser, party.request().url);
    const ends = (await atOnce(() => form.post(typedBy(anna)))).map(endOf);
    expect(ends.filter((end) => end === "code")).toHaveLength(1);
    // 503: at most two passwords of an account may wait for hashing.
    expect(ends.filter((end) => end !== "code" && end !== "used" && !end.startsWith("503 overloaded"))).toEqual([]);
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("'You are logged in as'", async () => {
    await signIn(browser, party.request(), anna);
    const { login_challenge, xsrf_token: _xsrf } = tokensOf(
      await open(browser, party.request({ prompt: "select_account" }).url),
    );
    const fields = { _xsrf, login_challenge, user: anna.id, proceed: "1" };
    expectOneCode(await atOnce(() => browser.post("/login/proceed", fields)));
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("a consent, which is recorded once", async () => {
    const page = await typePassword(browser, await open(browser, stranger.request().url), anna);
    expectOneCode(await atOnce(() => browser.submit(page, page.page().form("/consent/accept"))));
    expect(await countEvents("consent.granted")).toBe(1);
    expect(await findSignedInUser(stranger, browser)).toBe(anna.id);
  });

  test("a second factor", async () => {
    const code = await (await giveTotp(server, anna)).code();
    const step = await openStep(browser, party.request().url, anna);
    const ends = (await atOnce(() => step.post("/mfa/verify", { code }))).map(endOf);
    expect(ends.filter((end) => end === "code")).toHaveLength(1);
    expect(ends.filter((end) => end.startsWith("5"))).toEqual([]);
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("a second factor that is cancelled", async () => {
    await giveTotp(server, anna);
    const step = await openStep(browser, party.request().url, anna);
    const ends = (await atOnce(() => step.post("/mfa/verify", { cancel: "1" }))).map(endOf);
    expect(ends.sort()).toEqual(["told access_denied", ...Array.from({ length: AT_ONCE - 1 }, () => "used")].sort());
  });

  test("a sign-in page in a second tab that is skipped", async () => {
    const tab = await openForm(browser, party.request().url);
    await signIn(browser, party.request(), anna);
    expectOneCode(await atOnce(() => browser.get(tab.page.url)));
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("a consent page that is opened while it is accepted", async () => {
    const page = await typePassword(browser, await open(browser, stranger.request().url), anna);
    const [posted, ...opened] = await Promise.all([
      browser.submit(page, page.page().form("/consent/accept")).then((response) => followRedirects(browser, response)),
      ...Array.from({ length: AT_ONCE }, () => browser.get(page.url)),
    ]);
    expect(redirectParameters(posted)).toHaveProperty("code");
    for (const { status } of opened) expect(status).toBeLessThan(500);
  });
});

describe("of two different responses to one request the first is used:", () => {
  test("the second user sees that the request is used, and the first one is signed in", async () => {
    const form = await openForm(browser, party.request().url);
    const first = await form.post(typedBy(anna));
    const second = await followRedirects(browser, await form.post(typedBy(bernd)));
    expect([endOf(second), second.status]).toEqual(["used", 400]);
    expect(redirectParameters(await followRedirects(browser, first))).toHaveProperty("code");
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("the page of the second response continues with the first one", async () => {
    const form = await openForm(browser, party.request().url);
    const { location } = await form.post(typedBy(anna));
    const page = await followRedirects(browser, await form.post(typedBy(bernd)));
    const links = page
      .page()
      .all("a")
      .map(({ attributes }) => attributes.href);
    expect(links).toContain(location);
  });

  test("a session of another user is not ended by a late response", async () => {
    await signIn(browser, party.request(), anna);
    const form = await openForm(browser, party.request({ prompt: "login" }).url);
    await form.post(typedBy(anna));
    expect(endOf(await followRedirects(browser, await form.post(typedBy(bernd))))).toBe("used");
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("rejecting after accepting has no effect, and is not recorded", async () => {
    const page = await typePassword(browser, await open(browser, stranger.request().url), anna);
    const allowed = await browser.submit(page, page.page().form("/consent/accept"));
    await browser.submit(page, page.page().form("/consent/reject"));
    expect([await countEvents("consent.granted"), await countEvents("consent.refused")]).toEqual([1, 0]);
    expect(redirectParameters(await followRedirects(browser, allowed))).toHaveProperty("code");
  });

  test("accepting after rejecting grants nothing", async () => {
    const page = await typePassword(browser, await open(browser, stranger.request().url), anna);
    const refused = await browser.submit(page, page.page().form("/consent/reject"));
    await browser.submit(page, page.page().form("/consent/accept"));
    expect([await countEvents("consent.granted"), await countEvents("consent.refused")]).toEqual([0, 1]);
    expect(redirectParameters(await followRedirects(browser, refused))).toMatchObject({ error: "access_denied" });
    expect(hasForm(await open(browser, stranger.request().url), "/consent/accept")).toBe(true);
  });

  test("a refusal that is sent several times at once is recorded once", async () => {
    const page = await typePassword(browser, await open(browser, stranger.request().url), anna);
    const ends = (await atOnce(() => browser.submit(page, page.page().form("/consent/reject")))).map(endOf);
    expect(ends.filter((end) => end === "told access_denied")).toHaveLength(1);
    expect(ends.filter((end) => end.startsWith("5"))).toEqual([]);
    expect(await countEvents("consent.refused")).toBe(1);
  });

  test("accepting and rejecting at the same moment: the recorded event matches the response to the application", async () => {
    const page = await typePassword(browser, await open(browser, stranger.request().url), anna);
    const [allowed, refused] = await Promise.all(
      (["/consent/accept", "/consent/reject"] as const).map((path) => browser.submit(page, page.page().form(path))),
    );
    if (!allowed || !refused) throw new Error("two forms return two responses");
    const wasAllowed = (await countEvents("consent.granted")) === 1;
    expect(await countEvents("consent.refused")).toBe(wasAllowed ? 0 : 1);
    const result = redirectParameters(await followRedirects(browser, wasAllowed ? allowed : refused));
    expect(result).toHaveProperty(wasAllowed ? "code" : "error");
  });
});

describe("the address that finishes a sign-in, opened several times at once,", () => {
  test.each([
    ["in a browser without a session", false],
    ["in a browser whose session it renews", true],
  ])("issues one code and leaves the user signed in, %s", async (_where, hasSession) => {
    for (let tries = 0; tries < 4; tries += 1) {
      if (hasSession) await signIn(browser, party.request(), anna);
      const form = await openForm(browser, party.request({ prompt: "login" }).url);
      const finish = (await form.post(typedBy(anna))).location ?? "";
      const responses = await Promise.all(Array.from({ length: AT_ONCE }, () => browser.get(finish)));
      const [code, ...others] = responses.toSorted((one, other) => codes(other) - codes(one));
      expect(codes(code)).toBe(1);
      for (const response of others) {
        expect([codes(response), response.status, namesOf(response)]).toEqual([0, 303, []]);
        expect(endOf(await followRedirects(browser, response))).toBe("used");
      }
      expect(await findSignedInUser(party, browser)).toBe(anna.id);
    }
  });
});

const codes = (response: HttpResponse | undefined) => (response?.location?.startsWith(party.redirectUri) ? 1 : 0);

/** Returns the names of the session cookies that a response sets. */
const namesOf = ({ setCookies }: HttpResponse) =>
  setCookies.map((cookie) => cookie.split("=")[0]).filter((name) => name?.startsWith("gatehouse_session"));
