import { beforeEach, describe, expect, test } from "vitest";
import { followRedirects, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, redirectParameters } from "#tests/http/oidc/responses.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { copyOf, findSignedInUser } from "./live-session.ts";
import { openForm, stateOf } from "./open-form.ts";

let anna: TestUser;
let bernd: TestUser;
let browser: Browser;

const server = await serverOfFile({ passwordChecks: "every" });
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  [anna, bernd] = [await server.users.create(), await server.users.create()];
  browser = server.browser();
});

const typedBy = ({ username, password }: TestUser) => ({ username, password });

function signInsSince(line: number) {
  return server.lines().filter(({ event }, at) => at >= line && event === "sign-in.succeeded").length;
}

describe("a form that is sent twice", () => {
  test("one after the other redirects to the same URL both times, with one code", async () => {
    const form = await openForm(browser, party.request().url);
    const [first, second] = [await form.post(typedBy(anna)), await form.post(typedBy(anna))];
    expect([first.status, second.status]).toEqual([303, 303]);
    expect(second.location).toBe(first.location);
    expect(redirectParameters(await followRedirects(browser, second))).toHaveProperty("code");
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  test("five times at once redirects to the same URL each time", async () => {
    const form = await openForm(browser, party.request().url);
    const responses = await Promise.all(Array.from({ length: 5 }, () => form.post(typedBy(anna))));
    // 503: at most two passwords of an account may wait for hashing.
    const checked = responses.filter(({ status }) => status !== 503);
    expect(checked.length).toBeGreaterThan(1);
    expect(new Set(checked.map(({ status, location }) => `${status} ${location}`)).size).toBe(1);
    expect(checked[0]?.status).toBe(303);
  });

  test("after the sign-in is finished shows its result, and checks no password again", async () => {
    const form = await openForm(browser, party.request().url);
    await followRedirects(browser, await form.post(typedBy(anna)));
    const line = server.lines().length;
    const again = await form.post(typedBy(anna));
    expect([again.status, again.location]).toEqual([200, null]);
    expect(stateOf(again).login_result).toMatchObject({ status: "success" });
    expect(signInsSince(line)).toBe(0);
  });

  test("by another user after its completion changes no session", async () => {
    const form = await openForm(browser, party.request().url);
    await followRedirects(browser, await form.post(typedBy(anna)));
    expect((await form.post(typedBy(bernd))).location).toBeNull();
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });
});

describe("the address that finishes a sign-in", () => {
  test("issues a code once, and then shows that the request was used", async () => {
    const form = await openForm(browser, party.request().url);
    const finish = (await form.post(typedBy(anna))).location ?? "";
    expect(codeOf(await browser.get(finish))).not.toBe("");
    const again = await open(browser, finish);
    expect([again.status, again.location]).toEqual([200, null]);
    expect(stateOf(again).login_result).toMatchObject({ status: "success" });
  });

  test("shows an error when no password was entered, and leaves the form usable", async () => {
    const form = await openForm(browser, party.request().url);
    const [uid = ""] = form.challenge.split(".");
    const page = await open(browser, `/oauth2/auth/${uid}`);
    expect([page.status, page.location, stateOf(page).error]).toEqual([400, null, "invalid_request"]);
    expect(await findSignedInUser(party, browser)).toBe("login_required");
    expect((await form.post(typedBy(anna))).location).toContain(`/oauth2/auth/${uid}`);
  });

  test("is useless in another browser", async () => {
    const form = await openForm(browser, party.request().url);
    const finish = (await form.post(typedBy(anna))).location ?? "";
    const thief = server.browser();
    expect((await open(thief, finish)).status).toBe(400);
    expect(await findSignedInUser(party, thief)).toBe("login_required");
    expect(redirectParameters(await browser.get(finish))).toHaveProperty("code");
  });
});

describe("two tabs", () => {
  test("each ends at its own request", async () => {
    const [one, other] = [party.request(), party.request()];
    const [first, second] = [await openForm(browser, one.url), await openForm(browser, other.url)];
    const firstEnd = await followRedirects(browser, await first.post(typedBy(anna)));
    const secondEnd = await followRedirects(browser, await second.post(typedBy(anna)));
    expect([redirectParameters(firstEnd).state, redirectParameters(secondEnd).state]).toEqual([one.state, other.state]);
  });

  test("need one sign-in: reloading the second passes through to its own request", async () => {
    const [one, other] = [party.request(), party.request()];
    const [first, second] = [await openForm(browser, one.url), await openForm(browser, other.url)];
    await followRedirects(browser, await first.post(typedBy(anna)));
    const end = await followRedirects(browser, await browser.get(second.page.url));
    expect(redirectParameters(end)).toMatchObject({ state: other.state, code: expect.any(String) });
  });

  test("as two users: the first user's session ends", async () => {
    const [first, second] = [
      await openForm(browser, party.request().url),
      await openForm(browser, party.request().url),
    ];
    await followRedirects(browser, await first.post(typedBy(anna)));
    const annas = copyOf(browser, server.url);
    await followRedirects(browser, await second.post(typedBy(bernd)));
    expect(await findSignedInUser(party, browser)).toBe(bernd.id);
    expect(await findSignedInUser(party, annas)).toBe("login_required");
  });

  test("as two users at the same moment: exactly one of them is signed in", async () => {
    const forms = [await openForm(browser, party.request().url), await openForm(browser, party.request().url)];
    const [annas, bernds] = await Promise.all(forms.map((form, at) => form.post(typedBy(at === 0 ? anna : bernd))));
    if (!annas || !bernds) throw new Error("two forms return two responses");
    await followRedirects(browser, annas);
    const annasSession = copyOf(browser, server.url);
    // The engine ends the other user's session with an auto-submitted form.
    const ending = await followRedirects(browser, bernds);
    const [form] = ending.location === null ? ending.page().forms() : [];
    if (form) await followRedirects(browser, await browser.submit(ending, form));
    expect(await findSignedInUser(party, browser)).toBe(bernd.id);
    expect(await findSignedInUser(party, annasSession)).toBe("login_required");
  });

  test("are not disturbed by a silent request in between", async () => {
    const form = await openForm(browser, party.request().url);
    expect(await findSignedInUser(party, browser)).toBe("login_required");
    expect(redirectParameters(await followRedirects(browser, await form.post(typedBy(anna))))).toHaveProperty("code");
  });
});

test("going back after a wrong password shows the sign-in form, and it works", async () => {
  const form = await openForm(browser, party.request().url);
  await form.post({ username: anna.username, password: "Wrong-Window-27-Oak" });
  const back = await browser.get(form.page.url);
  expect([back.status, stateOf(back).error]).toEqual([200, undefined]);
  expect(redirectParameters(await typePassword(browser, back, anna))).toHaveProperty("code");
});

test("going back after a consent shows that the request was used, not an error without a next step", async () => {
  const form = await openForm(browser, party.request().url);
  await signIn(browser, { ...party.request(), url: form.page.url }, anna);
  const back = await browser.get(form.page.url);
  expect([back.status, stateOf(back).login_result]).toEqual([200, expect.objectContaining({ status: "success" })]);
});
