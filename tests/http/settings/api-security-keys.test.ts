import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { setUser } from "#app/domain/user/set.server.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { giveKey, newKey } from "#tests/support/factors.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { type Chain, openChain, openPageChain, statusAndBody } from "./api.ts";
import { createSettingsClient } from "./steps.ts";

const REFUSED = [400, { error: "security key refused", reason: "verification" }];

const server = await serverOfFile();
const settingsClient = await createSettingsClient(server);

const at = eachTest(async () => {
  const anna = await server.users.create();
  const chain = await openChain(server, settingsClient, anna);
  return { anna, chain };
});

type CeremonyOptions = {
  relyingPartyId: string;
  challenge: string;
  sessionId: string;
  existingCredentialIds: string[];
};

async function startRegistration(from: Chain = at.chain): Promise<CeremonyOptions> {
  const response = (await from.post("mfa-init-fido2")).json();
  const { relyingPartyId, challenge, sessionId, existingCredentialIds: ids } = response;
  const existingCredentialIds = Array.isArray(ids) ? ids.map(String) : [];
  return {
    relyingPartyId: String(relyingPartyId),
    challenge: String(challenge),
    sessionId: String(sessionId),
    existingCredentialIds,
  };
}

async function register(from: Chain = at.chain, { key = newKey(server), name }: Partial<Registering> = {}) {
  const options = await startRegistration(from);
  const credentialJson = JSON.stringify(key.register(options));
  return from.post("mfa-verify-fido2", { sessionId: options.sessionId, credentialJson, ...(name ? { name } : {}) });
}
type Registering = { key: ReturnType<typeof newKey>; name: string };

async function keys() {
  const { t, q } = server.context.store;
  return q.select().from(t.webauthnCredentials).where(eq(t.webauthnCredentials.userId, at.anna.id));
}

describe("a security key over the API", () => {
  test("is registered with its name, and counts at once", async () => {
    expect(statusAndBody(await register(at.chain, { name: "  Key ring " }))).toEqual([200, {}]);
    expect(await keys()).toMatchObject([{ name: "Key ring" }]);
    expect(statusAndBody(await at.chain.get("userinfo"))[0]).toBe(200);
  });

  test("is refused with a name that contains a NUL character, as in forms", async () => {
    const refused = await register(at.chain, { name: "Key\0ring" });
    expect(statusAndBody(refused)).toEqual([400, { error: "Could not parse request" }]);
    expect(await keys()).toEqual([]);
  });

  test("starts with the options for the browser, including the registered keys", async () => {
    const key = await giveKey(server, at.anna);
    await setUser(server.context, at.anna.username, { picture: "https://pictures.example/anna.png" });
    const { status, json } = await at.chain.post("mfa-init-fido2");
    expect(status).toBe(200);
    expect(json()).toEqual({
      relyingPartyId: "localhost",
      userId: expect.stringMatching(/^[A-Za-z0-9+/]+={0,2}$/),
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      existingCredentialIds: [key.id],
      sessionId: expect.stringMatching(/^[\w-]+$/),
      user: {
        username: at.anna.username,
        displayName: at.anna.displayName,
        base64EncodedUserId: Buffer.from(at.anna.id).toString("base64"),
        icon: "https://pictures.example/anna.png",
      },
    });
  });

  test("contains the product's icon if the user has no picture", async () => {
    const { user } = (await at.chain.post("mfa-init-fido2")).json();
    expect(user).toMatchObject({ icon: `${server.url}/apple-touch-icon.png` });
    expect((await server.browser().get(`${server.url}/apple-touch-icon.png`)).status).toBe(200);
  });

  test("may be one more, but no key twice", async () => {
    const key = newKey(server);
    expect(statusAndBody(await register(at.chain, { key }))).toEqual([200, {}]);
    expect(statusAndBody(await register())).toEqual([200, {}]);
    const again = await register(at.chain, { key });
    expect(statusAndBody(again)).toEqual([400, { error: "security key refused", reason: "taken" }]);
    expect(await keys()).toHaveLength(2);
  });

  test("uses a challenge once", async () => {
    const options = await startRegistration();
    const body = { sessionId: options.sessionId, credentialJson: JSON.stringify(newKey(server).register(options)) };
    expect(statusAndBody(await at.chain.post("mfa-verify-fido2", body))).toEqual([200, {}]);
    expect(statusAndBody(await at.chain.post("mfa-verify-fido2", body))).toEqual(REFUSED);
    expect(await keys()).toHaveLength(1);
  });

  test("uses only challenges of these settings", async () => {
    const elsewhere = (await openPageChain(server, settingsClient, at.anna)).chain;
    const options = await startRegistration(elsewhere);
    const body = { sessionId: options.sessionId, credentialJson: JSON.stringify(newKey(server).register(options)) };
    expect(statusAndBody(await at.chain.post("mfa-verify-fido2", body))).toEqual(REFUSED);
    const berta = await openChain(server, settingsClient, await server.users.create());
    expect(statusAndBody(await berta.post("mfa-verify-fido2", body))).toEqual(REFUSED);
    expect(await keys()).toEqual([]);
  });

  test("is refused unless it matches the challenge, for any JSON", async () => {
    for (const credentialJson of ["", "{", "null", "[]", '{"id":1}', JSON.stringify({ id: "a", response: {} })]) {
      const { sessionId } = await startRegistration();
      expect(statusAndBody(await at.chain.post("mfa-verify-fido2", { sessionId, credentialJson }))).toEqual(REFUSED);
      server.clock.advance(120);
    }
    expect(await keys()).toEqual([]);
  });

  test("costs an attempt when it is refused, and later ones have to wait", async () => {
    const guess = { sessionId: "x".repeat(43), credentialJson: "{}" };
    for (let n = 0; n < 10; n += 1)
      expect(statusAndBody(await at.chain.post("mfa-verify-fido2", guess))).toEqual(REFUSED);
    const response = await at.chain.post("mfa-verify-fido2", guess);
    expect(statusAndBody(response)).toEqual([429, { error: "throttled" }]);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("wants a proof of identity that is not older than ten minutes", async () => {
    await at.chain.get("userinfo");
    server.clock.advance(5 * 60);
    await at.chain.get("userinfo");
    server.clock.advance(5 * 60 + 1);
    expect(statusAndBody(await at.chain.post("mfa-init-fido2"))).toEqual([403, { error: "reauthentication_required" }]);
    const guess = { sessionId: "x", credentialJson: "{}" };
    expect(statusAndBody(await at.chain.post("mfa-verify-fido2", guess))).toEqual([
      403,
      { error: "reauthentication_required" },
    ]);
  });

  test.each([
    ["without the response", { sessionId: "x" }],
    ["without the question", { credentialJson: "{}" }],
    ["with an object in place of its JSON", { sessionId: "x", credentialJson: {} }],
    ["with a name that is too long", { sessionId: "x", credentialJson: "{}", name: "x".repeat(41) }],
    ["as a list", []],
    ["that is not JSON", "{"],
  ])("is refused %s", async (_what, body) => {
    expect(statusAndBody(await at.chain.post("mfa-verify-fido2", body))).toEqual([
      400,
      { error: "Could not parse request" },
    ]);
    expect(statusAndBody(await at.chain.get("userinfo"))[0]).toBe(200);
  });
});
