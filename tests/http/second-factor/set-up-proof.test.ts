import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { setGroup } from "#app/domain/group/set.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import { useOtherAccount } from "#tests/http/login/other-account.ts";
import { followRedirects, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, hasForm } from "#tests/http/oidc/responses.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { newKey, testApp } from "#tests/support/factors.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { startCeremony, statusAndBody, tokenOf } from "./calls.ts";
import { openStep, readStep } from "./steps.ts";

/** Opens "You are logged in as", then makes the user's group require a second factor. */
async function openQuestion(): Promise<HttpResponse> {
  const page = await open(at.browser, party.request({ prompt: "select_account" }).url);
  await setGroup(server.context, at.groupName, { requireMfa: true });
  return page;
}

async function press(page: HttpResponse, button: string): Promise<HttpResponse> {
  return followRedirects(at.browser, await at.browser.submit(page, page.page().form("/login/proceed"), {}, button));
}

/** Returns the name in the form, and whether the page explains why it asks for the password. */
function readProofForm(page: HttpResponse): [name: string | undefined, says: boolean] {
  const hasNotice = page.page().all("div", { "data-code": "proof-set-up" }).length === 1;
  return [page.page().one("input", { name: "username" }).attributes.value, hasNotice];
}

const MFA = "urn:gatehouse:acr:mfa";
const TOO_OLD = [403, { error: "reauthentication_required" }];

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

/** Anna is signed in with her password and has no factor. */
const at = eachTest(async () => {
  const groupName = (await server.groups.create()).name;
  const anna = await server.users.create({ groupName });
  const browser = server.browser();
  codeOf(await signIn(browser, party.request(), anna));
  return { groupName, anna, browser };
});

async function age(seconds: number): Promise<void> {
  // The session expires after two idle hours.
  for (let left = seconds; left > 0; left -= HOUR_SECONDS) {
    server.clock.advance(Math.min(left, HOUR_SECONDS));
    codeOf(await open(at.browser, party.request({ prompt: "none" }).url));
  }
}

/** Ways to require a second factor of a user whose session has none. */
const RULES: [string, () => Promise<HttpResponse>][] = [
  ["an application's acr_values", () => open(at.browser, party.request({ acr_values: MFA }).url)],
  [
    "an essential acr claim",
    () =>
      open(
        at.browser,
        party.request({ claims: JSON.stringify({ id_token: { acr: { essential: true, values: [MFA] } } }) }).url,
      ),
  ],
  [
    "a group's rule",
    async () => {
      await setGroup(server.context, at.groupName, { requireMfa: true });
      return open(at.browser, party.request().url);
    },
  ],
  ["a group's rule, and the question for the account", async () => press(await openQuestion(), "Proceed")],
];

describe.each(RULES)("the first factor, required by %s", (_what, signIn) => {
  test("is set up at once in a session of less than ten minutes", async () => {
    server.clock.advance(9 * 60);
    expect(hasForm(await signIn(), "/mfa/setup")).toBe(true);
  });

  // Proves requirement 129.
  test.each([11 * 60, 11 * HOUR_SECONDS])(
    "wants the password first in a session %i seconds old, then is set up",
    async (seconds) => {
      await age(seconds);
      const page = await signIn();
      expect([hasForm(page, "/login/native"), hasForm(page, "/mfa/setup")]).toEqual([true, false]);
      expect(readProofForm(page)).toEqual([at.anna.username, true]);
      const step = readStep(at.browser, await typePassword(at.browser, page, at.anna));
      const { secret } = Object((await step.call("/mfa/init-totp")).json());
      const code = await testApp(server.clock, String(secret)).code();
      const token = tokenOf(await step.call("/mfa/setup-totp", { code }));
      const end = await followRedirects(at.browser, await step.post("/mfa/verify", { mfa_token: token }));
      codeOf(end);
    },
  );
});

describe("the form that asks for the password before a set-up", () => {
  test("keeps its reason when the password was wrong", async () => {
    await age(11 * 60);
    const page = await press(await openQuestion(), "Proceed");
    const refused = await typePassword(at.browser, page, { ...at.anna, password: "Not-My-Password-1" });
    expect([refused.status, ...readProofForm(refused)]).toEqual([401, at.anna.username, true]);
  });

  test("shows no notice to a user who wants to use another account", async () => {
    await age(11 * 60);
    expect(readProofForm(await useOtherAccount(at.browser, await openQuestion()))).toEqual(["", false]);
  });
});

describe("a set-up that was started in time", () => {
  async function openAt(minutes: number) {
    server.clock.advance(minutes * 60);
    return readStep(at.browser, await open(at.browser, party.request({ acr_values: MFA }).url));
  }

  // Proves requirement 129.
  test("of an app is refused when the proof has become too old, and stores nothing", async () => {
    const step = await openAt(8);
    const { secret } = Object((await step.call("/mfa/init-totp")).json());
    server.clock.advance(3 * 60);
    const code = await testApp(server.clock, String(secret)).code();
    expect(statusAndBody(await step.call("/mfa/setup-totp", { code }))).toEqual(TOO_OLD);
    expect(statusAndBody(await step.call("/mfa/init-totp"))).toEqual(TOO_OLD);
    const { t, q } = server.context.store;
    expect(await q.$count(t.totpCredentials, eq(t.totpCredentials.userId, at.anna.id))).toBe(0);
  });

  test("with the page leads back to the sign-in form", async () => {
    const step = await openAt(8);
    const shown = await followRedirects(at.browser, await step.post("/mfa/setup", { method: "totp" }));
    server.clock.advance(3 * 60);
    const code = await testApp(server.clock, /secret=([A-Z2-7]{32})/.exec(shown.body)?.[1] ?? "").code();
    const response = await readStep(at.browser, shown).post("/mfa/setup", { method: "totp", code });
    const page = await followRedirects(at.browser, response);
    expect(hasForm(page, "/login/native")).toBe(true);
    expect(hasForm(await typePassword(at.browser, page, at.anna), "/mfa/setup")).toBe(true);
  });

  test("by a security key is refused when the proof has become too old", async () => {
    const step = await openAt(9);
    const { sessionId, ...readProofForm } = await startCeremony(step, "/mfa/init-fido2-registration");
    server.clock.advance(2 * 60);
    const credentialJson = JSON.stringify(newKey(server).register(readProofForm));
    expect(statusAndBody(await step.call("/mfa/setup-fido2", { sessionId, credentialJson }))).toEqual(TOO_OLD);
    expect(statusAndBody(await step.call("/mfa/init-fido2-registration"))).toEqual(TOO_OLD);
  });

  test("by a security key whose proof has become too old has a text for the page's script", async () => {
    const step = await openAt(9);
    const shown = await followRedirects(at.browser, await step.post("/mfa/setup", { method: "fido2" }));
    const texts = JSON.parse(shown.page().one("security-key").attributes["texts"] ?? "{}");
    expect(texts).toMatchObject({ reauthentication_required: expect.stringContaining("sign in once more") });
    server.clock.advance(2 * 60);
    const page = await followRedirects(at.browser, await at.browser.get(texts.restartHref));
    expect(hasForm(page, "/login/native")).toBe(true);
  });
});

test("auth_time of a sign-in with a set-up is that of the password", async () => {
  await setGroup(server.context, at.groupName, { requireMfa: true });
  const fresh = server.browser();
  const request = party.request({ max_age: "3600" });
  const step = await openStep(fresh, request.url, at.anna);
  const signedInAt = Math.floor(server.clock.now().getTime() / 1000);
  server.clock.advance(4 * 60);
  const { secret } = Object((await step.call("/mfa/init-totp")).json());
  const code = await testApp(server.clock, String(secret)).code();
  const token = tokenOf(await step.call("/mfa/setup-totp", { code }));
  const end = await followRedirects(fresh, await step.post("/mfa/verify", { mfa_token: token }));
  const { id_token } = (await party.exchange(codeOf(end), request)).json();
  expect((await party.verifyIdToken(String(id_token))).payload["auth_time"]).toBe(signedInAt);
});
