import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { flagWebauthnCredential, listWebauthnCredentials } from "#app/db/repositories/webauthn-credentials.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { openPasskeyPage, passkeyOf } from "#tests/http/login/passkey-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { mailsTo } from "#tests/http/password-reset/steps.ts";
import { createAuthenticator, type RegistrationTampering } from "#tests/support/authenticator.ts";
import { eachTest } from "#tests/support/each-test.ts";
import {
  giveKey,
  givePasskey,
  giveRecoveryCodes,
  giveTotp,
  newKey,
  PASSKEY,
  type TestKey,
} from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { type Chain, createChain, statusAndBody } from "./api.ts";
import { countFactors, refusalIn, statusAndTarget, TOTP_REMOVAL, TWO_STEP, visit } from "./pages.ts";
import { createSettingsClient } from "./steps.ts";

const REGISTER = "/manage/mfa/register-passkey";
const WINDOWS_HELLO = "08987058-cadc-4b81-b6e1-30de50dcbe96";

const server = await serverOfFile();
const settingsClient = await createSettingsClient(server);
const party = await server.parties.create({ firstParty: true });

const at = eachTest(async () => {
  const anna = await server.users.create();
  const visitor = await visit(server, settingsClient, anna);
  const { token } = stateOf(await visitor.open(REGISTER));
  return { anna, visitor, chain: createChain(server, String(token)) };
});

const keysOf = ({ id }: TestUser) => listWebauthnCredentials(server.context.store, id);

async function start(chain: Chain = at.chain, path = "mfa-init-passkey") {
  const started = (await chain.post(path)).json();
  const [relyingPartyId, challenge] = [String(started.relyingPartyId), String(started.challenge)];
  const { existingCredentialIds } = started;
  return { relyingPartyId, challenge, sessionId: String(started.sessionId), existingCredentialIds };
}

async function register({ key = newKey(server), bend = {}, chain = at.chain }: Registering = {}) {
  const options = await start(chain);
  const credentialJson = JSON.stringify(key.register(options, { ...PASSKEY, ...bend }));
  return statusAndBody(await chain.post("mfa-verify-passkey", { sessionId: options.sessionId, credentialJson }));
}
type Registering = { key?: TestKey; bend?: RegistrationTampering; chain?: Chain };

const refused = (reason: string) => [400, { error: "security key refused", reason }];

describe("a passkey over the API", () => {
  test("is registered under the name of its provider, ends other sessions, and is reported by mail", async () => {
    const other = await visit(server, settingsClient, at.anna);
    expect(await register({ bend: { aaguid: WINDOWS_HELLO, be: false, bs: false } })).toEqual([200, {}]);
    expect(await keysOf(at.anna)).toMatchObject([{ name: "Windows Hello", isPasskey: true, backupEligible: false }]);
    expect(statusAndTarget(await other.open(TWO_STEP))).toEqual([303, "/manage/error/unauthorized"]);
    const page = (await at.visitor.open("/manage?status=passkey-added")).page();
    expect(page.text).toContain("Your passkey has been set up.");
    expect(page.text).toContain("Name your passkey");
    const { t, q } = server.context.store;
    const events = await q.select().from(t.auditEvents).where(eq(t.auditEvents.userId, at.anna.id));
    const added = events.filter(({ type }) => type === "factor.added");
    expect(added.map(({ detail }) => detail)).toEqual([expect.objectContaining({ reason: "passkey" })]);
    const mails = await mailsTo(server, `${at.anna.username}@office.example`, 2);
    const report = mails.find(({ subject }) => subject === "A second factor was added");
    expect(report?.text).toContain("A passkey was added to your account.");
  });

  // Proves requirement 251.
  test("signs with RS256 in an older Windows Hello, and signs in", async () => {
    const key = newKey(server, -257);
    expect(await register({ key, bend: { aaguid: WINDOWS_HELLO, be: false, bs: false } })).toEqual([200, {}]);
    const browser = server.browser();
    const page = await openPasskeyPage(browser, party.request().url);
    const response = await page.post(passkeyOf(key, at.anna).answer(page.asked));
    codeOf(await followRedirects(browser, response));
    expect(await findSignedInUser(party, browser)).toBe(at.anna.id);
  });

  // Proves requirement 252.
  test("excludes the passkeys and keys of the user, and no key is registered twice, by nobody", async () => {
    const own = await givePasskey(server, at.anna);
    const key = await giveKey(server, at.anna);
    const foreign = await givePasskey(server, await server.users.create());
    expect((await start()).existingCredentialIds).toEqual(expect.arrayContaining([own.id, key.id]));
    expect(await register({ key: own })).toEqual(refused("taken"));
    expect(await register({ key: foreign })).toEqual(refused("taken"));
    expect(await keysOf(at.anna)).toHaveLength(2);
  });

  // Proves requirement 250.
  test("is refused without user verification, and with the challenge of another browser", async () => {
    expect(await register({ bend: { uv: false } })).toEqual(refused("verification"));
    const berta = await visit(server, settingsClient, await server.users.create());
    const elsewhere = createChain(server, String(stateOf(await berta.open(REGISTER)).token));
    const options = await start(elsewhere);
    const credentialJson = JSON.stringify(newKey(server).register(options, PASSKEY));
    const body = { sessionId: options.sessionId, credentialJson };
    expect(statusAndBody(await at.chain.post("mfa-verify-passkey", body))).toEqual(refused("verification"));
    expect(await keysOf(at.anna)).toEqual([]);
  });

  test("wants a proof of identity that is not older than ten minutes", async () => {
    await at.chain.get("userinfo");
    server.clock.advance(5 * 60);
    await at.chain.get("userinfo");
    server.clock.advance(5 * 60 + 1);
    const stale = [403, { error: "reauthentication_required" }];
    expect(statusAndBody(await at.chain.post("mfa-init-passkey"))).toEqual(stale);
    const body = { sessionId: "x", credentialJson: "{}" };
    expect(statusAndBody(await at.chain.post("mfa-verify-passkey", body))).toEqual(stale);
    const { status, location } = await at.visitor.open(REGISTER);
    expect([status, location]).toEqual([303, expect.stringContaining("/manage/confirm?to=")]);
  });

  test("leaves the count of security keys of the specification as it is", async () => {
    await givePasskey(server, at.anna);
    expect(stateOf(await at.visitor.open(TWO_STEP))).toMatchObject({ count_registered_fido2_devices: 0 });
  });
});

describe("the list of passkeys and security keys", () => {
  test("shows where each is kept, and both can be added", async () => {
    await givePasskey(server, at.anna, { bend: { aaguid: WINDOWS_HELLO, be: false, bs: false } });
    await givePasskey(server, at.anna);
    await giveKey(server, at.anna);
    const page = (await at.visitor.open(TWO_STEP)).page();
    expect(page.text).toMatch(
      /Windows Hello\s*Passkey in Windows Hello, on one device only\s*Not used yet\s*Added today/,
    );
    expect(page.text).toMatch(/Passkey\s*Passkey, on several devices/);
    expect(page.text).toMatch(/Security key\s*Security key\s*Not used yet/);
    const links = page.all("a").map(({ attributes }) => attributes["href"]);
    expect(links).toEqual(expect.arrayContaining([REGISTER, "/manage/mfa/register-fido2"]));
  });

  // Proves requirement 254.
  test("lets a password manager know what is accepted, and what was removed", async () => {
    const kept = await givePasskey(server, at.anna);
    const removed = await givePasskey(server, at.anna);
    const path = `/manage/mfa/keys/${removed.id}/remove`;
    const response = await at.visitor.send(path);
    expect(response.location).toContain(`${TWO_STEP}?status=passkey-removed&removed=${removed.id}`);
    const signal = async (url: string) => (await at.visitor.open(url)).page().all("passkey-signal")[0]?.attributes;
    const userId = Buffer.from(at.anna.id).toString("base64url");
    expect(await signal(response.location ?? "")).toMatchObject({
      "rp-id": "localhost",
      "user-id": userId,
      accepted: kept.id,
      removed: removed.id,
    });
    // A link of another page cannot make the browser forget a passkey that works.
    const foreign = await givePasskey(server, await server.users.create());
    for (const id of [kept.id, foreign.id, "a b", "x".repeat(2_000)]) {
      expect(await signal(`${TWO_STEP}?${new URLSearchParams({ removed: id })}`)).toMatchObject({ removed: "" });
    }
  });
});

describe("a passkey in the settings", () => {
  test("is renamed and removed", async () => {
    const { id } = await givePasskey(server, at.anna);
    const renamed = await at.visitor.send(`/manage/mfa/keys/${id}`, { name: "Laptop" });
    expect(renamed.location).toContain("status=passkey-renamed");
    expect(await keysOf(at.anna)).toMatchObject([{ name: "Laptop" }]);
    const page = (await at.visitor.open(`/manage/mfa/keys/${id}/remove`)).page();
    expect(page.title).toContain("Remove this passkey?");
    await at.visitor.send(`/manage/mfa/keys/${id}/remove`);
    expect(await keysOf(at.anna)).toEqual([]);
  });

  // Proves requirement 253.
  test("of another user is not found, neither to rename nor to remove", async () => {
    const { id } = await givePasskey(server, await server.users.create());
    for (const path of [`/manage/mfa/keys/${id}`, `/manage/mfa/keys/${id}/remove`]) {
      expect((await at.visitor.open(path)).status).toBe(404);
    }
  });

  test("that remains when the app or the last key goes leaves the password alone, which the page says", async () => {
    await givePasskey(server, at.anna);
    await giveTotp(server, at.anna);
    const notices = async (path: string) =>
      (await at.visitor.open(path)).page().all("div", { "data-code": "password-alone" }).length;
    expect(await notices(TOTP_REMOVAL)).toBe(1);
    const { id } = await giveKey(server, at.anna);
    expect(await notices(TOTP_REMOVAL)).toBe(0);
    expect(await notices(`/manage/mfa/keys/${id}/remove`)).toBe(0);
    await giveRecoveryCodes(server, at.anna);
    await at.visitor.send(TOTP_REMOVAL);
    expect(await notices(`/manage/mfa/keys/${id}/remove`)).toBe(1);
    const page = (await at.visitor.open(`/manage/mfa/keys/${id}/remove`)).page();
    expect(page.text).toContain("Your recovery codes are removed, too.");
    await at.visitor.send(`/manage/mfa/keys/${id}/remove`);
    expect(await countFactors(server, at.anna)).toEqual({ apps: 0, keys: 1, codes: 0 });
  });

  test("or another last factor is removed with a warning about recovery codes only if there are any", async () => {
    const warning = async (path: string) => (await at.visitor.open(path)).page().one("div", { class: "alert" }).text;
    const passkey = await givePasskey(server, at.anna);
    expect(await warning(`/manage/mfa/keys/${passkey.id}/remove`)).toContain("your only second factor");
    expect(await warning(`/manage/mfa/keys/${passkey.id}/remove`)).not.toMatch(/recovery code/i);
    const key = await giveKey(server, at.anna);
    expect(await warning(`/manage/mfa/keys/${key.id}/remove`)).toContain("Your passkeys stay.");
    expect(await warning(`/manage/mfa/keys/${key.id}/remove`)).not.toMatch(/recovery code/i);
    await at.visitor.send(`/manage/mfa/keys/${passkey.id}/remove`);
    expect(await warning(`/manage/mfa/keys/${key.id}/remove`)).not.toMatch(/recovery code|passkey/i);
    await giveRecoveryCodes(server, at.anna);
    expect(await warning(`/manage/mfa/keys/${key.id}/remove`)).toContain("Your recovery codes are removed, too.");
    await at.visitor.send(`/manage/mfa/keys/${key.id}/remove`);
    await giveTotp(server, at.anna);
    expect(await warning(TOTP_REMOVAL)).not.toMatch(/recovery code/i);
    await giveRecoveryCodes(server, at.anna);
    expect(await warning(TOTP_REMOVAL)).toContain("Your recovery codes are removed, too.");
  });

  test("alone brings no recovery codes, and the list offers none", async () => {
    await givePasskey(server, at.anna);
    const page = (await at.visitor.open(TWO_STEP)).page();
    expect(page.all("div", { "data-code": "recovery-codes" })).toEqual([]);
    expect(page.text).not.toMatch(/recovery code/i);
    await giveKey(server, at.anna);
    expect((await at.visitor.open(TWO_STEP)).page().all("div", { "data-code": "recovery-codes" })).toHaveLength(1);
  });

  test("that may have been copied is not called a security key", async () => {
    const { id } = await givePasskey(server, at.anna);
    await flagWebauthnCredential(server.context.store, { id, userId: at.anna.id, now: server.clock.now() });
    for (const path of [TWO_STEP, `/manage/mfa/keys/${id}`]) {
      const [warning] = (await at.visitor.open(path)).page().all("span", { class: "caution" });
      expect(warning?.text).toBe("This passkey may have been copied. Please tell your administrator.");
    }
  });

  test("is named by the page that asks for the password before it", async () => {
    const [passkey, key] = [await givePasskey(server, at.anna), await giveKey(server, at.anna)];
    const headingOf = async (id: string) => {
      const path = `/manage/mfa/keys/${id}`;
      const page = (await at.visitor.open(`/manage/confirm?${new URLSearchParams({ to: path })}`)).page();
      return page.one("h1").text;
    };
    server.clock.advance(5 * 60);
    await at.visitor.open(TWO_STEP);
    server.clock.advance(5 * 60 + 1);
    expect([await headingOf(passkey.id), await headingOf(key.id)]).toEqual(["Passkey", "Security key"]);
  });

  test("with the longest credential id is what the page shows after the password", async () => {
    const key = createAuthenticator({ origin: server.url, credentialId: randomBytes(1_023) });
    await givePasskey(server, at.anna, { key });
    for (const path of [`/manage/mfa/keys/${key.id}`, `/manage/mfa/keys/${key.id}/remove`]) {
      server.clock.advance(5 * 60);
      await at.visitor.open(TWO_STEP);
      server.clock.advance(5 * 60 + 1);
      const confirmation = (await at.visitor.open(path)).location ?? "";
      const asked = await at.visitor.open(confirmation);
      const form = asked
        .page()
        .forms()
        .find(({ action }) => action.startsWith("/manage/confirm"));
      if (!form) throw new Error("no page asks for the password");
      const confirmed = await at.visitor.browser.submit(asked, form, { password: at.anna.password });
      expect(statusAndTarget(confirmed)).toEqual([303, path]);
    }
  });

  test("is set up by a page that needs a script, and names the authenticator app", async () => {
    const page = (await at.visitor.open(REGISTER)).page();
    expect(page.text).toContain("Passkeys work only with JavaScript. Without JavaScript, set up an authenticator app.");
    expect(page.all("a").map(({ attributes }) => attributes["href"])).toContain("/manage/mfa/register-totp");
    expect(refusalIn(await at.visitor.open(REGISTER)).error).toBeNull();
  });
});

describe("the activity of a user with a passkey", () => {
  /** Signs in with a new passkey, and returns the newest row of the activity with this text. */
  async function rowAfterSignIn(bend: RegistrationTampering, text: string, uv = true): Promise<string> {
    const key = await givePasskey(server, at.anna, { bend });
    const page = await openPasskeyPage(server.browser(), party.request().url);
    expect((await page.post(passkeyOf(key, at.anna).answer(page.asked, { uv, ...bend }))).status).toBe(303);
    const rows = (await at.visitor.open("/manage/activity")).page().all("li", { class: "row" });
    return rows.map((row) => row.text).find((row) => row.includes(text)) ?? "";
  }

  test.each([
    ["on several devices", {}],
    ["on one device", { be: false, bs: false }],
  ])("names the passkey of a sign-in: one %s", async (_where, bend) => {
    const row = await rowAfterSignIn({ be: true, bs: true, ...bend }, "Signed in");
    expect(row).toMatch(/· passkey\b/);
    expect(row).not.toContain("security key");
  });

  test("does not say that a password was given in a sign-in by passkey that asks for a second factor", async () => {
    await giveTotp(server, at.anna);
    const row = await rowAfterSignIn({ be: true, bs: true }, "second factor asked for", false);
    expect(row).toMatch(/First step accepted, second factor asked for.*passkey$/s);
    expect(row).not.toMatch(/password/i);
  });
});

test("password managers find the pages of passkeys", async () => {
  const response = await server.browser().get(`${server.url}/.well-known/passkey-endpoints`);
  expect(response.headers["content-type"]).toContain("application/json");
  expect(JSON.parse(response.body)).toEqual({
    enroll: `${server.url}/manage/open?to=%2Fmanage%2Fmfa%2Fregister-passkey`,
    manage: `${server.url}/manage/open?to=%2Fmanage%2Fmfa`,
  });
});
