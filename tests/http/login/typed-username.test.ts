import { beforeEach, expect, test } from "vitest";
import { setGroup } from "#app/domain/group/set.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import { open, signIn } from "#tests/http/oidc/browser-steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { openForm } from "./open-form.ts";
import { useOtherAccount } from "./other-account.ts";

const COOKIE = "gatehouse_typed_username";
let browser: Browser;
let anna: TestUser;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  browser = server.browser();
  anna = await server.users.create();
});

/** Types a name into the form for a forgotten password; returns the redirect and the challenge of the sign-in. */
async function typeName(username = anna.username) {
  const { challenge } = await openForm(browser, party.request().url);
  const form = await browser.get(`/password-reset/request-form?${new URLSearchParams({ login_challenge: challenge })}`);
  const sent = await browser.submit(form, form.page().form("/password-reset/request"), { username });
  return { challenge, sent };
}

const formOf = (challenge: string, on = browser) =>
  on.get(`/login?${new URLSearchParams({ login_challenge: challenge })}`);

const shown = (page: HttpResponse) => page.page().one("input", { name: "username" }).attributes.value;

// Proves requirement 156.
test("a typed name is kept by a cookie that is hidden from scripts and other sites, ends with the hour, and contains no readable name", async () => {
  const { sent, challenge } = await typeName();
  const [cookie = ""] = sent.setCookies.filter((one) => one.startsWith(`${COOKIE}=`));
  expect(cookie).toContain(`; Max-Age=${HOUR_SECONDS}; Path=/; HttpOnly; SameSite=Lax`);
  const value = decodeURIComponent(browser.jar.find(COOKIE)?.value ?? "");
  const decoded = value.split(".").map((part) => Buffer.from(part, "base64url").toString("latin1"));
  for (const text of [sent.location, value, ...decoded]) expect(text).not.toContain(anna.username);
  expect(shown(await formOf(challenge))).toBe(anna.username);
});

test("it is the same for a name that no user has", async () => {
  const known = await typeName();
  const unknown = await typeName(anna.username.replace(/.$/, "%"));
  const lengths = [known, unknown].map(({ sent }) => sent.setCookies.map((cookie) => cookie.length));
  expect(lengths[0]).toEqual(lengths[1]);
  expect(lengths[0]).toHaveLength(1);
});

// Proves requirement 156.
test("it is shown in no other sign-in and in no other browser, even if the cookie is copied", async () => {
  const { challenge } = await typeName();
  const other = await openForm(browser, party.request().url);
  expect(shown(other.page)).toBe("");
  const thief = server.browser();
  await thief.get("/login");
  thief.jar.take(new URL(server.url), [`${COOKIE}=${browser.jar.find(COOKIE)?.value}; Path=/`]);
  expect((await formOf(challenge, thief)).body).not.toContain(anna.username);
});

// Proves requirement 156.
test("a forged or damaged cookie shows nothing", async () => {
  const { challenge } = await typeName();
  const { value = "" } = browser.jar.find(COOKIE) ?? {};
  const content = JSON.stringify({ username: "<b>You won</b>", challenge, browserHash: "" });
  const mail = await server.context.secrets.seal("mail", content);
  for (const forged of [content, `${value.slice(0, -3)}AAA`, mail, "x".repeat(4_000)]) {
    browser.jar.take(new URL(server.url), [`${COOKIE}=${encodeURIComponent(forged)}; Path=/`]);
    const page = await formOf(challenge);
    expect([page.status, shown(page)]).toEqual([200, ""]);
  }
});

test("the password of a first factor is asked for with the name of the session, which is in no URL", async () => {
  const { name: groupName } = await server.groups.create();
  anna = await server.users.create({ groupName });
  await signIn(browser, party.request(), anna);
  server.clock.advance(11 * 60);
  const question = await open(browser, party.request({ prompt: "select_account" }).url);
  await setGroup(server.context, groupName, { requireMfa: true });
  const proceeded = await browser.submit(question, question.page().form("/login/proceed"), {}, "Proceed");
  const page = await browser.follow(proceeded);
  expect([new URL(page.url).pathname, shown(page)]).toEqual(["/login/native", anna.username]);
  expect(page.url).not.toContain(anna.username);
});

test("a user who wants another account sees no kept name", async () => {
  await signIn(browser, party.request(), anna);
  const choice = await open(browser, party.request({ prompt: "select_account" }).url);
  const challenge = new URL(choice.url).searchParams.get("login_challenge") ?? "";
  const form = await browser.get(`/password-reset/request-form?${new URLSearchParams({ login_challenge: challenge })}`);
  await browser.submit(form, form.page().form("/password-reset/request"), { username: anna.username });
  expect(shown(await useOtherAccount(browser, await formOf(challenge)))).toBe("");
});
