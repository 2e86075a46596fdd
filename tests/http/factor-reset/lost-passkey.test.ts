import { describe, expect, test, vi } from "vitest";
import { ACR_MFA } from "#app/domain/engine-session/subject.server.ts";
import { signInWithRole } from "#tests/http/administration/sign-in-with-role.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { givePasskey, openPasskeyPage, passkeyOf, type TestPasskey } from "#tests/http/login/passkey-form.ts";
import { answerOffer, createOffered, signInOnDevice } from "#tests/http/login/passkey-offer-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { leaves } from "#tests/http/oidc/responses.ts";
import { openLink } from "#tests/http/password-reset/steps.ts";
import { openStep } from "#tests/http/second-factor/steps.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { giveTotp, newKey } from "#tests/support/factors.ts";
import { linkOf, type TestMail } from "#tests/support/mails.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { confirm, factorsOf, HOUR, linksOf, NO_FACTORS, requestLink, SUCCESS } from "./steps.ts";

const server = await serverOfFile({ env: { FACTOR_RESET_DELAY_HOURS: "5" } });
const party = await server.parties.create({ firstParty: true });
let count = 0;

const at = eachTest(async () => {
  count += 1;
  const email = `lost-passkey-${count}@office.example`;
  const anna = { ...(await server.users.create({ email })), email };
  return { anna, browser: server.browser() };
});

/** Returns the response to a sign-in with the passkey in a new browser: 303, or 401 and the error. */
async function signIn(passkey: TestPasskey): Promise<unknown[]> {
  const page = await openPasskeyPage(server.browser(), party.request().url);
  const response = await page.post(passkey.answer(page.asked));
  return response.status === 303 ? [303] : [response.status, stateOf(response).error];
}

const REFUSED = [401, "passkey refused"];

/** Waits for a mail to the user whose text contains `part`. */
function mailWith(part: string): Promise<TestMail> {
  // The mail is queued after the response is sent.
  return vi.waitFor(
    async () => {
      const found = (await server.mails()).find(({ to, text }) => to === at.anna.email && text.includes(part));
      if (!found) throw new Error(`no mail contains ${part}`);
      return found;
    },
    { timeout: 10_000, interval: 20 },
  );
}

// Proves requirement 259.
describe("a user whose phone with the passkey is lost", () => {
  test.each([
    ["with an authenticator app on the same phone", { hasApp: true }],
    ["without another factor, at an application that requires two", { hasApp: false }],
  ])("%s gets a link by mail, after which the old passkey does not sign in", async (_who, { hasApp }) => {
    const passkey = await givePasskey(server, at.anna);
    if (hasApp) await giveTotp(server, at.anna);
    const { challenge, page } = await openStep(at.browser, party.request({ acr_values: ACR_MFA }).url, at.anna);
    const href = `/mfa/lost?${new URLSearchParams({ login_challenge: challenge })}`;
    expect(page.page().one("a", { href }).text).toBe("Get a reset link by e-mail");
    expect((await requestLink(at.browser, await at.browser.get(href))).status).toBe(303);
    const mail = await mailWith("/mfa-reset/reset-form");
    expect(mail.text).toContain("the authenticator app, all passkeys and all security keys");
    const [, reset = ""] = linksOf(mail);
    // It may still be found: until the link is used, everything works as before.
    expect(await signIn(passkey)).toEqual([303]);
    server.clock.advance(5 * HOUR);
    const phone = server.browser();
    const form = await openLink(phone, reset);
    expect(form.page().text).toContain("The authenticator app, all passkeys and all security keys will be removed");
    const done = await confirm(phone, form);
    expect(done.location).toContain(SUCCESS);
    expect(await factorsOf(server, at.anna)).toEqual(NO_FACTORS);
    expect(await signIn(passkey)).toEqual(REFUSED);
  });

  test("gets six words from the help desk, and with them and the password removes the passkey", async () => {
    const passkey = await givePasskey(server, at.anna);
    const { browser: desk } = await signInWithRole(server, { role: "help-desk" });
    const path = `/manage/admin/people/${at.anna.id}/help/new-device`;
    const form = await desk.get(path);
    const given = await desk.post(path, { _xsrf: String(stateOf(form).xsrf_token), hours: "1", proved: "yes" });
    const list = /<ol class="codes words"[^>]*>(.*?)<\/ol>/s.exec(given.body)?.[1] ?? "";
    const words = [...list.matchAll(/<li>([^<]+)<\/li>/g)].map(([, word]) => word).join(" ");
    const help = await at.browser.get("/help");
    await at.browser.submit(help, help.page().form("/help"), { username: at.anna.username, words });
    const page = await at.browser.get("/help/new-device");
    expect(page.page().text).toContain("you remove all second factors and passkeys");
    const { password } = at.anna;
    const done = await at.browser.submit(page, page.page().form("/help/new-device"), { password });
    expect(done.location).toContain("status=success");
    expect(await factorsOf(server, at.anna)).toEqual(NO_FACTORS);
    expect(await signIn(passkey)).toEqual(REFUSED);
  });

  test("asks an administrator, who removes it on the person's page", async () => {
    const passkey = await givePasskey(server, at.anna);
    const { browser: desk } = await signInWithRole(server);
    const path = `/manage/admin/people/${at.anna.id}/factors/key-${passkey.key.id}`;
    const page = await desk.get(path);
    expect((await desk.submit(page, page.page().form(path))).status).toBe(303);
    expect(await signIn(passkey)).toEqual(REFUSED);
  });
});

// Proves requirement 259.
test("a stranger with the password sets up a passkey: the mail reports it, and its link removes the passkey", async () => {
  const offer = await signInOnDevice(at.browser, { url: party.request().url, user: at.anna });
  const key = newKey(server);
  const left = await answerOffer(at.browser, offer, await createOffered(at.browser, offer, { key }));
  expect(leaves(await followRedirects(at.browser, left))).toBe(true);
  const passkey = passkeyOf(key, at.anna);
  expect(await signIn(passkey)).toEqual([303]);
  const mail = await mailWith("A passkey");
  const owner = server.browser();
  const page = await owner.follow(await owner.get(linkOf(mail)));
  expect(page.page().text).toContain("remove passkeys of the last seven days");
  const done = await owner.submit(page, page.page().form("/login/not-me"));
  expect(done.location).toContain("/login/not-me?status=success");
  expect(await factorsOf(server, at.anna)).toEqual(NO_FACTORS);
  expect(await signIn(passkey)).toEqual(REFUSED);
  expect(await findSignedInUser(party, at.browser)).toBe("login_required");
  await mailWith("/password-reset/");
});
