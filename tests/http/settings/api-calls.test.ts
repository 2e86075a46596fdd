import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { showSecret } from "#app/domain/totp/set-up.server.ts";
import { drawQrCode } from "#app/http/qr-code.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { giveKey, giveTotp, testApp } from "#tests/support/factors.ts";
import { serverOfFile, TEST_PASSWORD } from "#tests/support/server.ts";
import { openChain, statusAndBody } from "./api.ts";
import { createSettingsClient, RETURN_URL } from "./steps.ts";

const NEW_PASSWORD = "Harbour-Candle-31-Elm";
const UNPARSED = [400, { error: "Could not parse request" }];
const TOO_OLD = [403, { error: "reauthentication_required" }];

const server = await serverOfFile();
const settingsClient = await createSettingsClient(server);

const at = eachTest(async () => {
  const anna = await server.users.create();
  const chain = await openChain(server, settingsClient, anna);
  return { anna, chain };
});

const refused = (error: string, details: object = {}) => [400, { error, ...details }];

/** Lets the ten minutes of a fresh proof pass while the settings stay in use. */
async function growOld() {
  for (const seconds of [300, 301]) {
    await at.chain.get("userinfo");
    server.clock.advance(seconds);
  }
}

test("userinfo returns the user and the return URL", async () => {
  expect(statusAndBody(await at.chain.get("userinfo"))).toEqual([
    200,
    { user_id: at.anna.id, display_name: at.anna.displayName, picture: null, return_to_url: RETURN_URL },
  ]);
});

describe("mfa-registration-status", () => {
  test("reports no factors of a user without factors", async () => {
    expect(statusAndBody(await at.chain.get("mfa-registration-status"))).toEqual([
      200,
      { totp_registered: false, count_registered_fido2_devices: 0 },
    ]);
  });

  test("counts the user's own factors", async () => {
    await giveTotp(server, await server.users.create());
    await giveTotp(server, at.anna);
    await giveKey(server, at.anna);
    await giveKey(server, at.anna);
    expect(statusAndBody(await at.chain.get("mfa-registration-status"))).toEqual([
      200,
      { totp_registered: true, count_registered_fido2_devices: 2 },
    ]);
  });
});

describe("an authenticator app over the API", () => {
  async function startAppSetUp() {
    const response = await at.chain.post("mfa-init-totp");
    expect(response.status).toBe(200);
    const { secret, qr_code: qrCode } = response.json();
    return { app: testApp(server.clock, String(secret)), secret: String(secret), qrCode };
  }

  test("starts with a secret, and its QR code", async () => {
    const { secret, qrCode } = await startAppSetUp();
    expect(secret).toMatch(/^[A-Z2-7]{32,}$/);
    const user = { username: at.anna.username };
    expect(qrCode).toBe(await drawQrCode(showSecret(server.context.config, user, secret).otpauthUri));
  });

  test("is set up with its first code, spaces or not, and counts at once", async () => {
    const { app } = await startAppSetUp();
    const code = await app.code();
    const spaced = ` ${code.slice(0, 3)} ${code.slice(3)} `;
    expect(statusAndBody(await at.chain.post("mfa-verify-totp", { code: spaced }))).toEqual([200, {}]);
    expect((await at.chain.get("mfa-registration-status")).json()).toMatchObject({ totp_registered: true });
  });

  test("is unique: a second one is refused at the start and at the end", async () => {
    const { app } = await startAppSetUp();
    await giveTotp(server, at.anna);
    const conflict = [409, { error: "totp already registered" }];
    expect(statusAndBody(await at.chain.post("mfa-verify-totp", { code: await app.code() }))).toEqual(conflict);
    expect(statusAndBody(await at.chain.post("mfa-init-totp"))).toEqual(conflict);
  });

  test("is refused with a wrong code, a used one, and an invalid one", async () => {
    const { app } = await startAppSetUp();
    const wrong = await app.code(7);
    const invalid = (reason: string) => refused("invalid verification code", { reason, clockOffSeconds: null });
    expect(statusAndBody(await at.chain.post("mfa-verify-totp", { code: wrong }))).toEqual(invalid("wrong"));
    for (const code of ["", "12345", "1234567", "abcdef", "١٢٣"])
      expect(statusAndBody(await at.chain.post("mfa-verify-totp", { code }))).toEqual(invalid("malformed"));
    expect(statusAndBody(await at.chain.post("mfa-verify-totp", {}))).toEqual(invalid("malformed"));
    expect(statusAndBody(await at.chain.post("mfa-verify-totp", { code: await app.code() }))).toEqual([200, {}]);
  });

  test("is not found before it was started, nor in other settings", async () => {
    expect(statusAndBody(await at.chain.post("mfa-verify-totp", { code: "123456" }))).toEqual(
      refused("totp not found"),
    );
    const { app } = await startAppSetUp();
    const elsewhere = await openChain(server, settingsClient, at.anna);
    const response = await elsewhere.post("mfa-verify-totp", { code: await app.code() });
    expect(statusAndBody(response)).toEqual(refused("totp not found"));
  });

  test("throttles guesses", async () => {
    const { app } = await startAppSetUp();
    for (let n = 0; n < 10; n += 1) await at.chain.post("mfa-verify-totp", { code: await app.code(20 + n) });
    const response = await at.chain.post("mfa-verify-totp", { code: await app.code() });
    expect(statusAndBody(response)).toEqual([429, { error: "throttled" }]);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("wants a fresh proof of identity at both calls", async () => {
    await growOld();
    expect(statusAndBody(await at.chain.post("mfa-init-totp"))).toEqual(TOO_OLD);
    expect(statusAndBody(await at.chain.post("mfa-verify-totp", { code: "123456" }))).toEqual(TOO_OLD);
  });

  test.each([[{ code: 123456 }], [{ code: null }], [{ code: "1".repeat(201) }], ["{"], [[]], ['"123456"']])(
    "%j is not a valid request",
    async (body) => {
      expect(statusAndBody(await at.chain.post("mfa-verify-totp", body))).toEqual(UNPARSED);
    },
  );
});

describe("the password over the API", () => {
  const change = (changes: object = {}) =>
    at.chain.put("password", {
      password: at.anna.password,
      newPassword: NEW_PASSWORD,
      newPasswordRepeat: NEW_PASSWORD,
      ...changes,
    });

  test("is changed: the new one signs in, other sessions end, this chain continues, and a mail is sent", async () => {
    const other = server.browser();
    await settingsClient.signIn(other, at.anna);
    expect(statusAndBody(await change())).toEqual([200, {}]);
    expect(statusAndBody(await at.chain.get("username"))).toEqual([200, { username: at.anna.username }]);
    expect(await findSignedInUser(settingsClient.party, other)).toBe("login_required");
    await settingsClient.signIn(server.browser(), { ...at.anna, password: NEW_PASSWORD });
    const mails = (await server.mails()).filter(({ to }) => to.includes(at.anna.username));
    expect(mails.map(({ subject }) => subject)).toContain("Your password was changed");
  });

  test.each([
    ["no present one", { password: "" }, "No password given"],
    ["a wrong present one", { password: "Wrong-Window-27-Oak" }, "Current password invalid"],
    ["no new one", { newPassword: "" }, "empty-password"],
    ["no repetition", { newPasswordRepeat: "" }, "empty-password-repeat"],
    ["another repetition", { newPasswordRepeat: `${NEW_PASSWORD}!` }, "passwords-not-equal"],
    ["a weak one", { newPassword: "short", newPasswordRepeat: "short" }, "password-strength"],
    ["a very common one", { newPassword: "Password1234", newPasswordRepeat: "Password1234" }, "password-common"],
    ["the same one", { newPassword: TEST_PASSWORD, newPasswordRepeat: TEST_PASSWORD }, "password-unchanged"],
  ])("stays with %s", async (_what, changes, code) => {
    expect(statusAndBody(await change(changes))).toEqual(refused(code));
    await settingsClient.signIn(server.browser(), at.anna);
  });

  test("is unchanged without input", async () => {
    expect(statusAndBody(await at.chain.put("password", {}))).toEqual(refused("No password given"));
  });

  test.each([
    [{ password: 1, newPassword: "a", newPasswordRepeat: "a" }],
    [{ password: ["a"] }],
    [{ password: { toString: 1 } }],
    [null],
    [[]],
    ["password=a"],
  ])("%j is not a valid request", async (body) => {
    expect(statusAndBody(await at.chain.put("password", body))).toEqual(UNPARSED);
  });

  test("throttles guesses", async () => {
    for (let n = 0; n < 10; n += 1)
      expect(statusAndBody(await change({ password: `Wrong-Window-${n}` }))).toEqual(
        refused("Current password invalid"),
      );
    const response = await change();
    expect(statusAndBody(response)).toEqual([429, { error: "throttled" }]);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("requires a fresh proof of identity, and reveals nothing without it", async () => {
    await growOld();
    expect(statusAndBody(await change())).toEqual(TOO_OLD);
    expect(statusAndBody(await change({ password: "" }))).toEqual(TOO_OLD);
  });
});

describe("the user name over the API", () => {
  const change = (username: unknown) => at.chain.put("username", { username });

  test("is read and changed; the chain continues with the new one", async () => {
    expect(statusAndBody(await at.chain.get("username"))).toEqual([200, { username: at.anna.username }]);
    const username = `${at.anna.username}.Berg`;
    expect(statusAndBody(await change(username))).toEqual([200, {}]);
    expect(statusAndBody(await at.chain.get("username"))).toEqual([200, { username }]);
    await settingsClient.signIn(server.browser(), { ...at.anna, username: username.toLowerCase() });
  });

  test("is refused empty, invalid, or taken, however it is written", async () => {
    const berta = await server.users.create();
    expect(statusAndBody(await change(""))).toEqual(refused("username is empty"));
    expect(statusAndBody(await change("   "))).toEqual(refused("username is empty"));
    expect(statusAndBody(await at.chain.put("username", {}))).toEqual(refused("username is empty"));
    expect(statusAndBody(await change("anna berg"))).toEqual(refused("username is invalid"));
    expect(statusAndBody(await change("x".repeat(65)))).toEqual(refused("username is invalid"));
    const conflict = [409, { error: "username not available" }];
    expect(statusAndBody(await change(berta.username))).toEqual(conflict);
    expect(statusAndBody(await change(berta.username.toUpperCase()))).toEqual(conflict);
    expect(statusAndBody(await at.chain.get("username"))).toEqual([200, { username: at.anna.username }]);
  });

  test("is limited to a few attempts an hour", async () => {
    const { username } = await server.users.create();
    for (let n = 0; n < 5; n += 1) expect((await change(username)).status).toBe(409);
    const response = await change(`${at.anna.username}-new`);
    expect(statusAndBody(response)).toEqual([429, { error: "throttled" }]);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("wants a fresh proof of identity to be changed, not to be read", async () => {
    await growOld();
    expect(statusAndBody(await change("somebody"))).toEqual(TOO_OLD);
    expect(statusAndBody(await at.chain.get("username"))).toEqual([200, { username: at.anna.username }]);
  });

  test.each([[{ username: 1 }], [{ username: null }], [{ username: ["a"] }], ["{"], ["username=a"]])(
    "%j is not a valid request",
    async (body) => {
      expect(statusAndBody(await at.chain.put("username", body))).toEqual(UNPARSED);
    },
  );
});

test("what was changed over the API is in the audit", async () => {
  await at.chain.put("username", { username: `${at.anna.username}.x` });
  const { store } = server.context;
  const rows = await store.q.select().from(store.t.auditEvents).where(eq(store.t.auditEvents.userId, at.anna.id));
  expect(rows.map(({ type, outcome }) => [type, outcome])).toContainEqual(["username.changed", "ok"]);
});
