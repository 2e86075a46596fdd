import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { removeWebauthnCredential } from "#app/db/repositories/webauthn-credentials.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { followRedirects, open } from "#tests/http/oidc/browser-steps.ts";
import { startCeremony } from "#tests/http/second-factor/calls.ts";
import { openStep } from "#tests/http/second-factor/steps.ts";
import type { AssertionTampering } from "#tests/support/authenticator.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { giveKey, newKey } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { findSignedInUser } from "./live-session.ts";
import { openForm, stateOf } from "./open-form.ts";
import {
  givePasskey,
  handleOf,
  openPasskeyPage,
  type PasskeyPage,
  passkeyOf,
  type TestPasskey,
} from "./passkey-form.ts";

const server = await serverOfFile({ env: { TRUST_PROXY: "127.0.0.1/32,::1/128" } });
const party = await server.parties.create({ firstParty: true });
const { store } = server.context;

let anna: TestUser;
let bernd: TestUser;
let passkey: TestPasskey;

beforeEach(async () => {
  [anna, bernd] = [await server.users.create(), await server.users.create()];
  passkey = await givePasskey(server, anna);
});

const openPage = (browser = server.browser()) => openPasskeyPage(browser, party.request({ prompt: "login" }).url);

/** The page without what differs between two refusals: tokens, challenges, nonce and reference. */
function comparable({ status, page }: HttpResponse) {
  const { error } = stateOf({ page } as HttpResponse);
  return { status, error, text: page().one("main").text };
}

async function refusalReasons() {
  const { t, q } = store;
  const events = await q.select().from(t.auditEvents).where(eq(t.auditEvents.type, "sign-in.refused"));
  return events.map(({ detail }) => detail.reason);
}

/** Expects the one refusal that every attack gets, with this reason in the audit trail, and no session. */
async function expectRefused(page: PasskeyPage, response: HttpResponse, reason: string): Promise<void> {
  expect([response.status, stateOf(response).error]).toEqual([401, "passkey refused"]);
  expect(response.page().one("main").text).toContain(
    "This passkey cannot be used. Please sign in with your username and password.",
  );
  expect((await refusalReasons()).at(-1)).toBe(`passkey: ${reason}`);
  expect(await findSignedInUser(party, page.browser)).toBe("login_required");
}

describe("refused is a response", () => {
  const tampered: [what: string, tampering: () => AssertionTampering, reason: string][] = [
    ["for another relying party", () => ({ rpId: "evil.example" }), "verification"],
    ["from another origin", () => ({ clientData: { origin: "https://evil.example" } }), "verification"],
    ["from a frame", () => ({ clientData: { crossOrigin: true } }), "verification"],
    ["of another type", () => ({ clientData: { type: "webauthn.create" } }), "verification"],
    ["without user presence", () => ({ up: false }), "verification"],
    ["backed up without being eligible", () => ({ bs: true }), "verification"],
    ["with the user handle of another user", () => ({ userHandle: handleOf(bernd.id) }), "unknown"],
    ["without a user handle", () => ({ userHandle: null }), "unknown"],
    ["with an empty user handle", () => ({ userHandle: "" }), "unknown"],
    ["with a user handle that cannot be stored", () => ({ userHandle: handleOf("\0") }), "unknown"],
    ["with another credential id", () => ({ id: Buffer.alloc(32, 7) }), "unknown"],
    ["with a challenge of the attacker", () => ({ clientData: { challenge: "A".repeat(64) } }), "challenge"],
    ["whose signature is changed", () => ({ signature: flipLast }), "verification"],
    [
      "whose user verification was added after signing",
      () => ({ uv: false, afterSigning: { authenticatorData: (data) => setFlag(data, 0x04) } }),
      "verification",
    ],
    [
      "whose user verification was removed after signing",
      () => ({ afterSigning: { authenticatorData: (data) => setFlag(data, 0x04) } }),
      "verification",
    ],
  ];

  // Proves requirement 243.
  test.each(tampered)("%s", async (_what, tampering, reason) => {
    const page = await openPage();
    await expectRefused(page, await page.post(passkey.answer(page.asked, tampering())), reason);
  });

  // Proves requirement 244.
  test("to the challenge of another browser, or of another interaction", async () => {
    const [own, foreign] = [await openPage(), await openPage()];
    await expectRefused(own, await own.post(passkey.answer(foreign.asked)), "challenge");
    const other = await openPage(own.browser);
    await expectRefused(own, await own.post(passkey.answer(other.asked)), "challenge");
  });

  // Proves requirement 244.
  test("that was sent before, even after a refusal, and in another spelling of its challenge", async () => {
    const page = await openPage();
    const answer = passkey.answer(page.asked);
    expect((await page.post(answer)).status).toBe(303);
    const again = passkey.answer(page.asked);
    for (const replayed of [answer, again]) {
      const response = await page.post(replayed);
      expect([response.status, stateOf(response).error]).toEqual([401, "passkey refused"]);
    }
    const refused = await openPage();
    await expectRefused(refused, await refused.post(passkey.answer(refused.asked, { up: false })), "verification");
    await expectRefused(refused, await refused.post(passkey.answer(refused.asked)), "challenge");
    const respelt = await openPage();
    const challenge = `${respelt.asked.challenge}=`;
    await expectRefused(respelt, await respelt.post(passkey.answer({ ...respelt.asked, challenge })), "challenge");
  });

  // Proves requirement 244.
  test("sent twice at once: one signs in", async () => {
    const page = await openPage();
    const answer = passkey.answer(page.asked);
    const responses = await Promise.all([page.post(answer), page.post(answer), page.post(answer)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([303, 401, 401]);
  });

  // Proves requirement 245.
  test("of a security key, whose kind is a second factor only, in both directions", async () => {
    const key = passkeyOf(await giveKey(server, anna), anna);
    const page = await openPage();
    await expectRefused(page, await page.post(key.answer(page.asked)), "unknown");

    const browser = server.browser();
    const step = await openStep(browser, party.request().url, anna);
    const started = await startCeremony(step);
    const other = await openPage(browser);
    await expectRefused(other, await other.post(passkey.answer(started)), "challenge");
    const swapped = await step.call("/mfa/verify-fido2", key.answer(other.asked));
    expect([swapped.status, swapped.json()]).toEqual([400, expect.objectContaining({ reason: "verification" })]);
  });

  test("with a counter that did not increase, which flags the passkey", async () => {
    const first = await openPage();
    expect((await first.post(passkey.answer(first.asked, { counter: 9 }))).status).toBe(303);
    const copied = await openPage();
    await expectRefused(copied, await copied.post(passkey.answer(copied.asked, { counter: 9 })), "counter");
    const { t, q } = store;
    const [row] = await q.select().from(t.webauthnCredentials).where(eq(t.webauthnCredentials.id, passkey.key.id));
    expect(row?.flaggedAt).toEqual(server.clock.now());
  });

  test.each(["", "{}", "[", "null", '{"id":1}', "x".repeat(30_000)])("that is malformed: %.10s", async (text) => {
    const page = await openPage();
    await expectRefused(page, await page.post(text), "challenge");
  });

  test("with an unknown field, a foreign anti-forgery token, or a foreign login challenge", async () => {
    const page = await openPage();
    expect((await page.post(passkey.answer(page.asked), { username: anna.username })).status).toBe(400);
    const forged = await page.post(passkey.answer(page.asked), { _xsrf: "A".repeat(43) });
    expect([forged.status, stateOf(forged).error]).toEqual([403, "xsrf"]);
    const foreign = await openForm(server.browser(), party.request().url);
    const stolen = await page.post(passkey.answer(page.asked), { login_challenge: foreign.challenge });
    expect([stolen.status, stateOf(stolen).error]).toEqual([400, "challenge"]);
    // None of these reached the check, so that the challenge is not spent.
    expect((await page.post(passkey.answer(page.asked))).status).toBe(303);
  });
});

// Proves requirement 247.
test("removed, blocked, unknown and forged passkeys get the same response", async () => {
  const answers: [string, (page: PasskeyPage) => Promise<object>][] = [
    ["unknown", async ({ asked }) => passkeyOf(newKey(server), anna).answer(asked)],
    ["unknown", async ({ asked }) => passkeyOf(newKey(server), { id: "no user" }).answer(asked)],
    ["verification", async ({ asked }) => passkey.answer(asked, { signature: flipLast })],
    [
      "unknown",
      async ({ asked }) => {
        await removeWebauthnCredential(store, { id: passkey.key.id, userId: anna.id });
        return passkey.answer(asked);
      },
    ],
    [
      "blocked",
      async ({ asked }) => {
        const blocked = await givePasskey(server, bernd);
        await blockUser(server.context, bernd.username);
        return blocked.answer(asked);
      },
    ],
  ];
  const seen: unknown[] = [];
  for (const [reason, answer] of answers) {
    const page = await openPage();
    const response = await page.post(await answer(page));
    await expectRefused(page, response, reason);
    seen.push(comparable(response));
  }
  expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
});

// Proves requirement 247.
test("the page names no credential, whoever opens it", async () => {
  const page = await open(server.browser(), party.request({ login_hint: anna.username }).url);
  expect(page.body).not.toContain(passkey.key.id);
});

// Proves requirement 247.
test("one address gets fifty failures; a browser known to the user still signs in there", async () => {
  const address = { headers: { "x-forwarded-for": "192.0.2.77" } };
  const known = server.browser();
  const first = await openPage(known);
  await followRedirects(known, await first.post(passkey.answer(first.asked)));
  const page = await openPage();
  const post = (at: PasskeyPage, answer: object) =>
    at.browser.post(
      "/login/passkey",
      {
        ...{ _xsrf: String(stateOf(at.page).xsrf_token), login_challenge: at.loginChallenge },
        assertion: JSON.stringify(answer),
      },
      address,
    );
  for (let count = 0; count < 50; count += 1) expect((await post(page, {})).status).toBe(401);
  const throttled = await post(page, passkey.answer(page.asked));
  expect([throttled.status, stateOf(throttled).error]).toEqual([429, "throttled"]);
  expect(throttled.headers["retry-after"]).toBe("900");
  const again = await openPage(known);
  expect((await post(again, passkey.answer(again.asked))).status).toBe(303);
});

function flipLast(signature: Buffer): Buffer {
  const changed = Buffer.from(signature);
  changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
  return changed;
}

/** Inverts a flag of authenticator data. */
function setFlag(data: Buffer, flag: number): Buffer {
  const changed = Buffer.from(data);
  changed.writeUInt8(changed.readUInt8(32) ^ flag, 32);
  return changed;
}
