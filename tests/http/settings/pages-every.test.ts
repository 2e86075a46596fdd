import { beforeEach, describe, expect, test } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { giveKey, giveTotp } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import {
  CODES,
  countFactors,
  FIDO2,
  PASSWORD,
  refusalIn,
  statusAndTarget,
  TOTP,
  TOTP_REMOVAL,
  TWO_STEP,
  USERNAME,
  type Visitor,
  visit,
} from "./pages.ts";
import { createSettingsClient } from "./steps.ts";

let anna: TestUser;
let visitor: Visitor;
let keyPage: string;

const server = await serverOfFile();
const settingsClient = await createSettingsClient(server);

/** Anna has an app and a key, and her settings are open; an app must be removed before another one is set up. */
beforeEach(async () => {
  anna = await server.users.create();
  visitor = await visit(server, settingsClient, anna);
  await giveTotp(server, anna);
  await giveKey(server, anna);
  const { t, q } = server.context.store;
  const keys = await q.select().from(t.webauthnCredentials);
  keyPage = `${TWO_STEP}/keys/${keys.find(({ userId }) => userId === anna.id)?.id}`;
});

/** `:key` is replaced by the page of Anna's key. */
const PAGES = [TWO_STEP, TOTP_REMOVAL, ":key", ":key/remove", FIDO2, CODES, PASSWORD, USERNAME];
const at = (path: string) => path.replace(":key", keyPage);

/** Every form with valid input. */
const FORMS = [
  { path: TOTP_REMOVAL, values: {} },
  { path: ":key", values: { name: "Other" } },
  { path: ":key/remove", values: {} },
  { path: CODES, values: {} },
  { path: TOTP, values: { code: "123456" } },
  {
    path: PASSWORD,
    values: {
      password: "Ledger-Window-27-Oak",
      newPassword: "Harbour-Kettle-93-Lamp",
      newPasswordRepeat: "Harbour-Kettle-93-Lamp",
    },
  },
  { path: USERNAME, values: { username: "anna.other" } },
];

describe.each(PAGES)("the page %s", (path) => {
  test("names the account, has a token for its calls, a link back, and is not cached", async () => {
    const response = await visitor.open(at(path));
    expect(response.status).toBe(200);
    expect(stateOf(response)).toMatchObject({
      user_id: anna.id,
      display_name: anna.displayName,
      token: expect.stringMatching(/^[\w~-]+\.0\.[\w-]+$/),
    });
    expect(response.page().one("h1").text).not.toBe("");
    expect(response.body).toContain(`Signed in as ${anna.displayName}`);
    const back = response.page().one("nav", { class: "up" }).parts[0];
    expect(back?.attributes["href"]).toBe(path === TWO_STEP || path.includes("credentials") ? "/manage" : TWO_STEP);
    expect(response.headers["cache-control"]).toContain("no-store");
  });

  test("requires open settings", async () => {
    expect(statusAndTarget(await server.browser().get(at(path)))).toEqual([303, "/manage/error/unauthorized"]);
  });
});

test.each([
  ["/manage", "/manage", "page"],
  [PASSWORD, PASSWORD, "page"],
  [USERNAME, USERNAME, "page"],
  [TWO_STEP, TWO_STEP, "page"],
  [TOTP_REMOVAL, TWO_STEP, "true"],
  [":key", TWO_STEP, "true"],
  ["/manage/sessions", "/manage/sessions", "page"],
  ["/manage/applications", "/manage/applications", "page"],
  ["/manage/activity", "/manage/activity", "page"],
  ["/manage/language", "/manage/language", "page"],
])("on %s the navigation marks %s as current: %s", async (path, area, current) => {
  const links = (await visitor.open(at(path))).page().all("a");
  const marked = links.filter(({ attributes }) => "aria-current" in attributes);
  expect(marked.map(({ attributes }) => [attributes["href"], attributes["aria-current"]])).toEqual([[area, current]]);
});

describe.each(PAGES.filter((path) => path !== TWO_STEP))("the page %s", (path) => {
  test("requires a fresh proof when the last one is older than ten minutes", async () => {
    server.clock.advance(5 * 60);
    expect((await visitor.open(at(path))).status).toBe(200);
    server.clock.advance(5 * 60 + 1);
    expect(statusAndTarget(await visitor.open(at(path)))).toEqual([
      303,
      `/manage/confirm?to=${encodeURIComponent(at(path))}`,
    ]);
  });
});

/** Returns everything that the forms could change. */
async function accountState() {
  const { username, passwordHash, generation } = await visitor.stored();
  const { t, q } = server.context.store;
  const names = (await q.select().from(t.webauthnCredentials)).map(({ name }) => name);
  return { username, passwordHash, generation, names, ...(await countFactors(server, anna)) };
}

describe.each(FORMS)("the form of $path", ({ path, values }) => {
  const xsrfOf = async () => String(stateOf(await visitor.open(TWO_STEP)).xsrf_token);

  test("changes nothing with a token that is missing, forged, or of another browser", async () => {
    const other = await visit(server, settingsClient, await server.users.create());
    const before = await accountState();
    const foreign = String(stateOf(await other.open(TWO_STEP)).xsrf_token);
    for (const _xsrf of ["", "stale", foreign]) {
      const response = await visitor.browser.post(at(path), { ...values, _xsrf });
      const { status, error, title, words } = refusalIn(response);
      // The set-up page of an app has no form if there is one already.
      const refused = path === TOTP ? [400, "totp already registered"] : [403, "xsrf"];
      expect([status, error]).toEqual(refused);
      expect(title).toMatch(/^Error: /);
      expect(words).toContain("There is a problem");
    }
    expect(await accountState()).toEqual(before);
  });

  test("changes nothing from another site, or with a field that it does not have", async () => {
    const before = await accountState();
    const _xsrf = await xsrfOf();
    const headers = { origin: "https://evil.example" };
    expect((await visitor.browser.post(at(path), { ...values, _xsrf }, { headers })).status).toBe(403);
    expect((await visitor.browser.post(at(path), { ...values, _xsrf, "a[99999999]": "" })).status).toBe(400);
    expect(await accountState()).toEqual(before);
  });

  // Proves requirement 54.
  test("changes nothing with an old proof: it redirects to the confirmation page", async () => {
    const before = await accountState();
    const _xsrf = await xsrfOf();
    server.clock.advance(5 * 60);
    await visitor.open(TWO_STEP);
    server.clock.advance(5 * 60 + 1);
    const response = await visitor.browser.post(at(path), { ...values, _xsrf });
    expect(statusAndTarget(response)).toEqual([303, `/manage/confirm?to=${encodeURIComponent(at(path))}&unsaved=yes`]);
    expect(await accountState()).toEqual(before);
  });

  test("changes nothing of a user who was blocked in the meantime, or whose settings are closed", async () => {
    const _xsrf = await xsrfOf();
    await blockUser(server.context, anna.username);
    const before = await accountState();
    const lost = `/manage/error/unauthorized?to=${encodeURIComponent(at(path))}&unsaved=yes`;
    for (const browser of [visitor.browser, server.browser()]) {
      expect(statusAndTarget(await browser.post(at(path), { ...values, _xsrf }))).toEqual([303, lost]);
    }
    expect(await accountState()).toEqual(before);
  });
});

test("another user's key has no page, and no form changes it", async () => {
  const ben = await visit(server, settingsClient, await server.users.create());
  expect((await ben.open(keyPage)).status).toBe(404);
  const _xsrf = String(stateOf(await ben.open(TWO_STEP)).xsrf_token);
  expect((await ben.open(`${keyPage}/remove`)).status).toBe(404);
  expect(statusAndTarget(await ben.browser.post(keyPage, { _xsrf, name: "Mine" }))).toEqual([303, TWO_STEP]);
  expect(statusAndTarget(await ben.browser.post(`${keyPage}/remove`, { _xsrf }))).toEqual([303, TWO_STEP]);
  expect(await countFactors(server, anna)).toMatchObject({ keys: 1 });
});

test("the page of a security key registers none by a form: its script makes the calls", async () => {
  const _xsrf = String(stateOf(await visitor.open(FIDO2)).xsrf_token);
  const before = await countFactors(server, anna);
  const response = await visitor.browser.post(FIDO2, { _xsrf });
  expect(response.status).toBe(405);
  expect(await countFactors(server, anna)).toEqual(before);
});

test("no page has a zero byte, wherever its letters fall in the renderer's buffers", async () => {
  const withZeros: number[] = [];
  for (let shift = 0; shift < 40; shift += 1) {
    await setUser(server.context, anna.username, { displayName: "x".repeat(shift + 1) + "ü".repeat(40) });
    const { body } = await visitor.open("/manage?lng=de");
    expect(body).toContain("ü".repeat(40));
    if (body.includes("\0")) withZeros.push(shift);
  }
  expect(withZeros).toEqual([]);
});
