import { beforeEach, describe, expect, test } from "vitest";
import { listExternalAccounts } from "#app/domain/external-account/list.server.ts";
import type { FakeProviderUser } from "#demo/fake-provider/types.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { choose, mailsTo, NEW_PASSWORD, openLink } from "#tests/http/password-reset/steps.ts";
import { createRegistrar, newAccount, pressCreate, tokenOf } from "#tests/http/register/steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { linkOf } from "#tests/support/mails.ts";
import { addProviderUser, connect, providersOfFile } from "./providers.ts";
import { signInAt } from "./steps.ts";

let browser: Browser;
let eva: FakeProviderUser;

const setup = await providersOfFile();
const party = await createRegistrar(setup.server);

beforeEach(() => {
  browser = setup.server.browser();
  eva = addProviderUser(setup.upstream.google);
});

/** Presses Create account after a Google sign-in without an account, and completes the registration. */
async function register(page: HttpResponse) {
  const redeemed = await party.redeem(tokenOf(await pressCreate(browser, page)));
  const account = newAccount();
  const completed = await party.complete(String(redeemed.json()["registration_id"]), account);
  const { user_id, callback_url } = completed.json();
  return { redemption: redeemed.json(), account, userId: String(user_id), callbackUrl: String(callback_url) };
}

async function choosePassword(email: string) {
  const elsewhere = setup.server.browser();
  const [mail = { text: "" }] = await mailsTo(setup.server, email);
  await choose(elsewhere, await openLink(elsewhere, linkOf(mail)));
}

const accountsOf = (userId: string) => listExternalAccounts(setup.server.context.store, userId);

describe("a user of a provider without an account", () => {
  test("can register with the provider's details; the first sign-in connects the two accounts", async () => {
    const page = await signInAt(browser, party.request().url, setup.upstream.google, eva.sub);
    expect([page.status, stateOf(page)["reg_hints"]]).toEqual([
      401,
      [
        { key: "email", value: eva.email },
        { key: "name", value: eva.name },
      ],
    ]);
    const { redemption, account, userId, callbackUrl } = await register(page);
    expect(redemption).toMatchObject({ hints: { email: eva.email, name: eva.name }, verified: ["email"] });
    expect(await accountsOf(userId)).toEqual({});

    await choosePassword(account.email);
    expect(await accountsOf(userId)).toEqual({});
    await typePassword(browser, await open(browser, callbackUrl), {
      username: account.username,
      password: NEW_PASSWORD,
    });
    expect(await accountsOf(userId)).toEqual({ google: { id: expect.any(String), name: eva.email } });

    const elsewhere = setup.server.browser();
    await signInAt(elsewhere, party.request().url, setup.upstream.google, eva.sub);
    expect(await findSignedInUser(party, elsewhere)).toBe(userId);
  });

  test("is not connected by a sign-in in another browser, which has no proof of the identity", async () => {
    const page = await signInAt(browser, party.request().url, setup.upstream.google, eva.sub);
    const { account, userId } = await register(page);
    await choosePassword(account.email);
    const elsewhere = setup.server.browser();
    const form = await open(elsewhere, party.request().url);
    await typePassword(elsewhere, form, { username: account.username, password: NEW_PASSWORD });
    expect(await findSignedInUser(party, elsewhere)).toBe(userId);
    expect(await accountsOf(userId)).toEqual({});
  });

  test("is not connected if the identity is linked to an account by then", async () => {
    const page = await signInAt(browser, party.request().url, setup.upstream.google, eva.sub);
    const { account, userId, callbackUrl } = await register(page);
    const other = await setup.server.users.create();
    await connect(setup.server, setup.upstream.google, eva, other.id);
    await choosePassword(account.email);
    await typePassword(browser, await open(browser, callbackUrl), {
      username: account.username,
      password: NEW_PASSWORD,
    });
    expect(await findSignedInUser(party, browser)).toBe(userId);
    expect([await accountsOf(userId), Object.keys(await accountsOf(other.id))]).toEqual([{}, ["google"]]);
  });

  test("is not vouched for by a provider that has not checked the address", async () => {
    const unchecked = addProviderUser(setup.upstream.google, { email_verified: false });
    const page = await signInAt(browser, party.request().url, setup.upstream.google, unchecked.sub);
    expect((await register(page)).redemption).toMatchObject({ hints: { email: unchecked.email }, verified: [] });
  });

  test("has the name that Apple posts beside the code", async () => {
    const providerUser = addProviderUser(setup.upstream.apple, { name: "Eva Ærø" });
    const page = await signInAt(browser, party.request().url, setup.upstream.apple, providerUser.sub);
    expect(stateOf(page)["reg_hints"]).toContainEqual({ key: "name", value: "Eva Ærø" });
  });

  test("is not offered if the application does not register users, or declares no such hint", async () => {
    const silent = await createRegistrar(setup.server, { regHints: ["company"] });
    const page = await signInAt(browser, silent.request().url, setup.upstream.google, eva.sub);
    expect([page.status, stateOf(page)["reg_hints"]]).toEqual([401, []]);
  });
});
