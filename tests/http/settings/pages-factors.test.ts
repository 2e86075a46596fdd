import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { listWebauthnCredentials, renameWebauthnCredential } from "#app/db/repositories/webauthn-credentials.server.ts";
import { FACTOR_LIMITS } from "#app/domain/pending-sign-in/attempts.server.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { giveKey, giveRecoveryCodes, giveTotp, type TestKey, testApp } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import {
  CODES,
  countFactors,
  fill,
  refusalIn,
  statusAndTarget,
  TOTP,
  TOTP_REMOVAL,
  TWO_STEP,
  type Visitor,
  visit,
} from "./pages.ts";
import { createSettingsClient } from "./steps.ts";

let anna: TestUser;
let visitor: Visitor;

const server = await serverOfFile();
const settingsClient = await createSettingsClient(server);

beforeEach(async () => {
  anna = await server.users.create();
  visitor = await visit(server, settingsClient, anna);
});

/** Opens the set-up of an app; returns its page and the app. */
async function startAppSetUp() {
  const page = await visitor.open(TOTP);
  return { page, app: testApp(server.clock, String(stateOf(page).secret)) };
}

describe("the overview offers recovery codes", () => {
  /** Returns whether the page offers recovery codes; expects a form that creates them exactly if it does. */
  async function isOffered(path = "/manage") {
    const page = (await visitor.open(path)).page();
    const [offer] = page.all("div", { "data-code": "recovery-codes" });
    const forms = page.forms().filter(({ action }) => action === CODES);
    expect(forms).toHaveLength(offer === undefined ? 0 : 1);
    return offer !== undefined;
  }

  test("after an authenticator app was set up, until there are codes", async () => {
    expect(await isOffered()).toBe(false);
    const { page, app } = await startAppSetUp();
    const { location } = await fill(visitor.browser, page, TOTP, { code: await app.code() });
    expect(await isOffered(location ?? "")).toBe(true);
    expect(await isOffered()).toBe(true);
    // One click shows the codes.
    const codes = await fill(visitor.browser, await visitor.open(location ?? ""), CODES);
    const shown = new Set(codes.body.match(/\b[0-9A-Z]{5}-[0-9A-Z]{5}\b/g));
    expect([codes.status, shown.size]).toEqual([200, 10]);
    expect(await isOffered()).toBe(false);
  });

  test("after a factor was registered by the API: an authenticator app, a security key", async () => {
    await giveTotp(server, anna);
    expect(await isOffered("/manage?status=mfa-success")).toBe(true);
    const bernd = await server.users.create();
    visitor = await visit(server, settingsClient, bernd);
    await giveKey(server, bernd);
    expect(await isOffered("/manage?status=mfa-success")).toBe(true);
  });
});

test("the report of a change is the only message, and the advice to protect the account follows later", async () => {
  const messages = async (path: string) =>
    (await visitor.open(path))
      .page()
      .all("div")
      .flatMap(({ attributes }) => attributes["data-code"] ?? []);
  expect(await messages("/manage?status=password-success")).toEqual(["password-success"]);
  expect(await messages("/manage?oauth-error=access_denied")).toEqual(["access_denied"]);
  expect(await messages("/manage?status=account-security")).toEqual(["account-security"]);
  expect(await messages("/manage")).toEqual(["account-security"]);
  await giveTotp(server, anna);
  expect(await messages("/manage")).toEqual(["recovery-codes"]);
  const { t, q } = server.context.store;
  const byLink = { passwordResetUnseen: true, passwordSetHow: "link" } as const;
  await q.update(t.users).set(byLink).where(eq(t.users.id, anna.id));
  expect(await messages("/manage")).toEqual(["password-reset"]);
});

test("the overview and the page of the second factors show what is set up, and when it was used", async () => {
  const textOf = async (path: string) => (await visitor.open(path)).page().text;
  expect(await textOf("/manage")).toMatch(
    /Authenticator app\s*Not set up\s*Set up.*Passkeys and security keys\s*Nothing set up yet/,
  );
  await giveTotp(server, anna);
  await giveKey(server, anna);
  expect(await textOf("/manage")).toMatch(/Recovery codes\s*No codes created yet\s*Create Devices/);
  expect(await textOf(TWO_STEP)).toContain("No codes created yet");
  await giveRecoveryCodes(server, anna);
  expect(await textOf("/manage")).toMatch(/Authenticator app\s*Set up.*1 set up\s.*Recovery codes\s*10 of 10 left/);
  const { t, q } = server.context.store;
  const now = server.clock.now();
  await q.update(t.webauthnCredentials).set({ lastUsedAt: now }).where(eq(t.webauthnCredentials.userId, anna.id));
  await q.update(t.totpCredentials).set({ lastUsedAt: now }).where(eq(t.totpCredentials.userId, anna.id));
  await q.update(t.recoveryCodes).set({ usedAt: now }).where(eq(t.recoveryCodes.userId, anna.id));
  expect(await textOf("/manage")).toMatch(/1 set up, last used today at \d\d:\d\d.*No codes left\s*Create new/);
  expect(await textOf(TWO_STEP)).toMatch(/Last used today at \d\d:\d\d\s*Set up today.*No codes left.*Created today/);
});

describe("an authenticator app in the settings", () => {
  test("is set up with its first code, in any spelling, and counts for the session", async () => {
    const { page, app } = await startAppSetUp();
    expect(stateOf(page)).toMatchObject({ qr_code: expect.stringMatching(/^iVBOR/) });
    const code = await app.code();
    const response = await fill(visitor.browser, page, TOTP, { code: ` ${code.slice(0, 3)}-${code.slice(3)} ` });
    expect(statusAndTarget(response)).toEqual([303, "/manage?status=mfa-success"]);
    expect(await countFactors(server, anna)).toMatchObject({ apps: 1 });
    expect(stateOf(await visitor.open(TWO_STEP))).toMatchObject({
      totp_registered: true,
      count_registered_fido2_devices: 0,
    });
  });

  test("shows the same secret again when the page is loaded again, and another one ten minutes later", async () => {
    const { app } = await startAppSetUp();
    expect((await startAppSetUp()).app.secretBase32).toBe(app.secretBase32);
    server.clock.advance(9 * 60);
    await visitor.open(TWO_STEP);
    server.clock.advance(60 + 1);
    expect(statusAndTarget(await visitor.open(TOTP))[1]).toContain("/manage/confirm");
  });

  test.each([
    ["", "Enter the 6-digit code"],
    ["12 34", "The code must be 6 digits"],
    ["wrong", "The code must be 6 digits"],
  ])("refuses “%s” on the same page", async (code, words) => {
    const { page, app } = await startAppSetUp();
    const response = await fill(visitor.browser, page, TOTP, { code });
    expect(refusalIn(response)).toMatchObject({ status: 400, error: "invalid verification code" });
    expect(refusalIn(response).words).toContain(words);
    expect(stateOf(response).secret).toBe(app.secretBase32);
  });

  test("shows the offset of a fast clock after two codes", async () => {
    const { page, app } = await startAppSetUp();
    await fill(visitor.browser, page, TOTP, { code: await app.code(6) });
    server.clock.advance(30);
    const response = await fill(visitor.browser, page, TOTP, { code: await app.code(6) });
    expect(refusalIn(response).words).toMatch(/the clock of your device is \d+ seconds fast/);
  });

  test("that is set up already is reported, with a link back", async () => {
    const { page, app } = await startAppSetUp();
    await giveTotp(server, anna);
    const response = await fill(visitor.browser, page, TOTP, { code: await app.code() });
    expect(refusalIn(response)).toMatchObject({ status: 400, error: "totp already registered" });
    expect(refusalIn(response).words).toContain("An authenticator app is already set up.");
    expect(stateOf(response).secret).toBeUndefined();
  });

  test("without a started set-up starts one", async () => {
    const _xsrf = String(stateOf(await visitor.open(TWO_STEP)).xsrf_token);
    const response = await visitor.browser.post(TOTP, { _xsrf, code: "123456" });
    expect(refusalIn(response)).toMatchObject({ status: 400, error: "totp not found" });
    expect(stateOf(response).secret).toMatch(/^[A-Z2-7]{32}$/);
  });

  test("throttles too many codes", async () => {
    const { page } = await startAppSetUp();
    let response = page;
    for (let count = 0; count <= FACTOR_LIMITS.minutes.points; count += 1) {
      response = await fill(visitor.browser, page, TOTP, { code: "111111" });
    }
    expect(refusalIn(response)).toMatchObject({ status: 429, error: "throttled" });
    expect(Number(response.headers["retry-after"])).toBeGreaterThan(0);
  });

  // Proves requirement 29.
  test("is set up once by a form that is sent twice at once, and the settings stay open", async () => {
    const { page, app } = await startAppSetUp();
    const code = await app.code();
    const responses = await Promise.all([1, 2].map(() => fill(visitor.browser, page, TOTP, { code })));
    expect(responses.filter(({ location }) => location?.endsWith("status=mfa-success"))).toHaveLength(1);
    expect(responses.filter(({ status }) => status >= 500)).toEqual([]);
    expect((await visitor.open(TWO_STEP)).status).toBe(200);
    expect(await countFactors(server, anna)).toMatchObject({ apps: 1 });
  });

  // Proves requirement 53.
  test("is removed by its own form, once, and the last one removes the recovery codes, too", async () => {
    await giveTotp(server, anna);
    await giveRecoveryCodes(server, anna);
    const page = await visitor.open(TOTP_REMOVAL);
    expect(page.page().text).toContain("This is your only second factor.");
    const responses = await Promise.all([1, 2].map(() => fill(visitor.browser, page, TOTP_REMOVAL)));
    const targets = responses.map((response) => statusAndTarget(response)[1]);
    expect(targets).toContain(`${TWO_STEP}?status=totp-removed`);
    expect(targets.every((target) => target?.startsWith("/manage") && !target.includes("error"))).toBe(true);
    expect(await countFactors(server, anna)).toEqual({ apps: 0, keys: 0, codes: 0 });
    expect(statusAndTarget(await visitor.open(TOTP_REMOVAL))).toEqual([303, TWO_STEP]);
  });
});

describe("a security key in the settings", () => {
  const keysOfAnna = () => listWebauthnCredentials(server.context.store, anna.id);
  const pageOfKey = async () => `${TWO_STEP}/keys/${(await keysOfAnna())[0]?.id}`;

  beforeEach(async () => {
    await giveKey(server, anna);
  });

  test("is in the list with its name, date and last use", async () => {
    const text = (await visitor.open(TWO_STEP)).page().text;
    expect(text).toContain("1 set up");
    expect(text).toMatch(/Security key\s*Not used yet\s*Added today at \d\d:\d\d/);
    expect(text).toContain("We recommend a second key, kept in a safe place.");
  });

  test("accepts another name, trimmed", async () => {
    const response = await visitor.send(await pageOfKey(), { name: "  <b>Key ring</b> " });
    expect(statusAndTarget(response)).toEqual([303, `${TWO_STEP}?status=key-renamed`]);
    expect(await keysOfAnna()).toMatchObject([{ name: "<b>Key ring</b>" }]);
    expect((await visitor.open(TWO_STEP)).body).toContain("&lt;b&gt;Key ring&lt;/b&gt;");
  });

  test.each([
    [" ", "Enter a name"],
    ["x".repeat(41), "The name can have up to 40 characters"],
  ])("accepts no name like “%s”", async (name, words) => {
    const response = await visitor.send(await pageOfKey(), { name });
    expect(refusalIn(response)).toMatchObject({ status: 400, error: "bad request" });
    expect(refusalIn(response).words).toContain(words);
    expect(await keysOfAnna()).toMatchObject([{ name: "Security key" }]);
  });

  test("keeps a name from before the limit, in full; the field for another name has the limit", async () => {
    const name = "x".repeat(64);
    const [{ id = "" } = {}] = await keysOfAnna();
    await renameWebauthnCredential(server.context.store, { id, userId: anna.id, name });
    expect((await visitor.open(TWO_STEP)).page().text).toContain(name);
    const { value, maxlength } = (await visitor.open(await pageOfKey()))
      .page()
      .one("input", { name: "name" }).attributes;
    expect([value, maxlength]).toEqual([name, "40"]);
    const response = await visitor.send(await pageOfKey(), { name: "y".repeat(40) });
    expect(statusAndTarget(response)).toEqual([303, `${TWO_STEP}?status=key-renamed`]);
    expect(await keysOfAnna()).toMatchObject([{ name: "y".repeat(40) }]);
  });

  test("is removed on a page that asks and names it, and the user's other factors stay", async () => {
    await giveTotp(server, anna);
    await giveRecoveryCodes(server, anna);
    const path = `${await pageOfKey()}/remove`;
    expect((await visitor.open(await pageOfKey())).page().one("a", { href: path }).text).toBe("Remove security key");
    const page = await visitor.open(path);
    expect(page.page().one("h1").text).toBe("Remove this security key?");
    expect(page.page().one("main").text).toContain("Security key");
    expect(page.page().text).not.toContain("This is your only second factor.");
    expect(statusAndTarget(await fill(visitor.browser, page, path))).toEqual([303, `${TWO_STEP}?status=key-removed`]);
    const done = (await visitor.open(`${TWO_STEP}?status=key-removed`)).page().text;
    expect(done).toContain("Your security key has been removed.");
    expect(await countFactors(server, anna)).toMatchObject({ apps: 1, keys: 0, codes: 10 });
    // Submitted again, the form has nothing left to remove.
    expect(statusAndTarget(await fill(visitor.browser, page, path))).toEqual([303, TWO_STEP]);
  });
});

describe("the name of a security key that was just added in the settings", () => {
  const namesOf = async ({ id }: TestUser) =>
    (await listWebauthnCredentials(server.context.store, id)).map(({ name }) => name);

  const ADDED = "/manage?status=mfa-success";
  const pathOf = ({ credentialId }: TestKey) => `${TWO_STEP}/keys/${credentialId.toString("base64url")}`;
  const asked = async (path: string) => (await visitor.open(path)).page().all("input", { name: "name" });

  test("is asked for on the overview, where the registration leads, and is stored from there", async () => {
    const key = await giveKey(server, anna);
    const page = await visitor.open(ADDED);
    expect(page.page().one("input", { name: "name" }).attributes.value).toBe("Security key");
    const response = await fill(visitor.browser, page, pathOf(key), { name: " Key ring " });
    expect(statusAndTarget(response)).toEqual([303, `${TWO_STEP}?status=key-renamed`]);
    expect(await namesOf(anna)).toEqual(["Key ring"]);
  });

  test("is asked for only then: not without a key, after another change, or later", async () => {
    expect(await asked(ADDED)).toEqual([]);
    await giveKey(server, anna);
    for (const path of ["/manage", "/manage?status=password-success"]) expect(await asked(path)).toEqual([]);
    server.clock.advance(60);
    expect(await asked(ADDED)).toEqual([]);
  });

  test("is not asked for after an authenticator app that was set up right after the key", async () => {
    await giveKey(server, anna);
    server.clock.advance(1);
    const { page, app } = await startAppSetUp();
    const response = await fill(visitor.browser, page, TOTP, { code: await app.code() });
    expect(statusAndTarget(response)).toEqual([303, ADDED]);
    expect(await asked(ADDED)).toEqual([]);
  });

  test("is asked for after a key that was added right after an authenticator app", async () => {
    await giveTotp(server, anna);
    server.clock.advance(1);
    await giveKey(server, anna);
    expect(await asked(ADDED)).toHaveLength(1);
  });

  test("is not changed by an expired form", async () => {
    const key = await giveKey(server, anna);
    const page = await visitor.open(ADDED);
    const stale = await fill(visitor.browser, page, pathOf(key), { name: "Key ring", _xsrf: "stale" });
    expect(refusalIn(stale)).toMatchObject({ status: 403, error: "xsrf" });
    expect(await namesOf(anna)).toEqual(["Security key"]);
  });
});

describe("recovery codes in the settings", () => {
  test("are said to be used up only if there were any", async () => {
    await giveKey(server, anna);
    expect((await visitor.open(TWO_STEP)).page().text).toContain("No codes created yet");
    await giveRecoveryCodes(server, anna);
    const { t, q } = server.context.store;
    await q.update(t.recoveryCodes).set({ usedAt: server.clock.now() }).where(eq(t.recoveryCodes.userId, anna.id));
    expect((await visitor.open(TWO_STEP)).page().text).toContain("No codes left");
  });

  test("are created ten at a time, shown once, and replace the older ones", async () => {
    await giveTotp(server, anna);
    await giveRecoveryCodes(server, anna);
    const page = await visitor.open(CODES);
    expect(page.page().text).toContain("You still have 10 codes.");
    const shown = async () => {
      const response = await fill(visitor.browser, page, CODES);
      expect(response.status).toBe(200);
      const codes =
        response
          .page()
          .all("ul", { id: "codes" })[0]
          ?.parts.map(({ text }) => text) ?? [];
      expect(new Set(codes).size).toBe(10);
      expect(response.page().text).toContain(`(${anna.username}) Sign-in at: Gatehouse`);
      return codes;
    };
    const first = await shown();
    const second = await shown();
    expect(second.filter((code) => first.includes(code))).toEqual([]);
    expect(await countFactors(server, anna)).toMatchObject({ codes: 10 });
    expect((await visitor.open(CODES)).body).not.toContain(second[0]);
  });

  test("require a factor", async () => {
    const page = await visitor.open(CODES);
    expect(page.page().text).toContain("Please set one up first.");
    const _xsrf = String(stateOf(page).xsrf_token);
    expect((await visitor.browser.post(CODES, { _xsrf })).status).toBe(200);
    expect(await countFactors(server, anna)).toMatchObject({ codes: 0 });
  });
});
