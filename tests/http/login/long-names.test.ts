import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { planImport } from "#app/domain/user/import/plan.server.ts";
import { createRegistrar, startAndRedeem } from "#tests/http/register/steps.ts";
import { openChain, statusAndBody } from "#tests/http/settings/api.ts";
import { createSettingsClient } from "#tests/http/settings/steps.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { openForm, refusalOf } from "./open-form.ts";

/** The maximum size of a form (60 KB, percent-encoded). Normalising it would block the event loop. */
const MARKS = `a${"\u0301\u0323".repeat(5_000)}`;
const WRONG = "Wrong-Window-27-Oak";
const LONGEST_NAME = 256;
/** UTF-16 units that can still compose to 256 code points. */
const LONGEST_PASSWORD = 2048;
let normalised: number[];

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

// The server runs in this process, so every normalised text is recorded here.
beforeEach(() => {
  normalised = [];
  const original = String.prototype.normalize;
  vi.spyOn(String.prototype, "normalize").mockImplementation(function (this: string, form?: string) {
    normalised.push(this.length);
    return original.call(this, form);
  });
});
afterEach(() => vi.restoreAllMocks());

const longest = () => Math.max(0, ...normalised);

async function tryToSignIn(username: string) {
  return (await openForm(server.browser(), party.request().url)).post({ username, password: WRONG });
}

// Proves requirement 143.
test("a name of 60 KB is refused at sign-in like any wrong password, and is not normalised", async () => {
  const { username } = await server.users.create();
  const [wrong, long] = [await tryToSignIn(username), await tryToSignIn(MARKS)];
  expect(refusalOf(long)).toEqual({ status: 401, error: "credentials" });
  expect(refusalOf(long)).toEqual(refusalOf(wrong));
  expect(long.page().text).toBe(wrong.page().text);
  expect(longest()).toBeLessThanOrEqual(LONGEST_NAME);
});

test("attempts with such a name are counted: the eleventh has to wait", async () => {
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 11; attempt += 1) statuses.push((await tryToSignIn(`counted${MARKS}`)).status);
  expect(statuses).toEqual([...new Array<number>(10).fill(401), 429]);
  expect(longest()).toBeLessThanOrEqual(LONGEST_NAME);
});

test("the password reset responds as to every name, and does not normalise it", async () => {
  const browser = server.browser();
  const page = await browser.get("/password-reset/request-form");
  const { xsrf_token } = page.page().state();
  const response = await browser.post("/password-reset/request", { _xsrf: String(xsrf_token), username: MARKS });
  expect([response.status, response.location]).toEqual([
    303,
    `${server.url}/password-reset/request-status?status=success`,
  ]);
  await expect.poll(() => server.lines().some(({ event }) => event === "password-reset.refused")).toBe(true);
  expect(longest()).toBeLessThanOrEqual(LONGEST_NAME);
});

test("it is not a valid user name: settings, registration and import refuse it without normalising it", async () => {
  const settingsClient = await createSettingsClient(server);
  const chain = await openChain(server, settingsClient, await server.users.create());
  const registrar = await createRegistrar(server);
  const id = await startAndRedeem(server.browser(), registrar);
  // Passwords may be longer than names; record only the following calls.
  normalised = [];
  expect(statusAndBody(await chain.put("username", { username: MARKS }))).toEqual([
    400,
    { error: "username is invalid" },
  ]);
  const completed = await registrar.complete(id, { username: MARKS });
  expect([completed.status, completed.error()]).toEqual([400, "username is invalid"]);
  const fields = { username: MARKS, display_name: "Anna Berg" };
  const plan = await planImport(server.context, [{ line: 2, fields }], { onConflict: "fail" });
  expect(plan.problems).toMatchObject([{ line: 2, problem: expect.any(String) }]);
  expect(longest()).toBeLessThanOrEqual(LONGEST_NAME);
});

test("a new password of 60 KB of combining marks is refused without normalising it", async () => {
  const settingsClient = await createSettingsClient(server);
  const anna = await server.users.create();
  const chain = await openChain(server, settingsClient, anna);
  normalised = [];
  const newPassword = `Aa1${MARKS}`;
  const passwords = { password: anna.password, newPassword, newPasswordRepeat: newPassword };
  expect(statusAndBody(await chain.put("password", passwords))).toMatchObject([400, { error: "password-strength" }]);
  expect(longest()).toBeLessThanOrEqual(LONGEST_PASSWORD);
});
