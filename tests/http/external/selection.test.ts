import { beforeEach, describe, expect, test } from "vitest";
import { removeExternalAccount } from "#app/db/repositories/external-accounts.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import type { FakeProviderUser } from "#demo/fake-provider/types.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { useOtherAccount } from "#tests/http/login/other-account.ts";
import { followRedirects, open } from "#tests/http/oidc/browser-steps.ts";
import { hasForm } from "#tests/http/oidc/responses.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import type { TestUser } from "#tests/support/server.ts";
import { addProviderUser, connect, providersOfFile } from "./providers.ts";
import { chooseUser, goToProvider, linkTo, returnFromProvider, signInAt } from "./steps.ts";

let browser: Browser;
let eva: FakeProviderUser;
let north: TestUser;
let south: TestUser;

const setup = await providersOfFile();
const party = await setup.server.parties.create({ firstParty: true });

let groupCount = 0;

/** Links one Google account to users of two groups. */
beforeEach(async () => {
  const { server, upstream } = setup;
  browser = server.browser();
  eva = addProviderUser(upstream.google);
  groupCount += 1;
  const groups = [
    await server.groups.create({ name: `North ${groupCount}` }),
    await server.groups.create({ name: `Süd ${groupCount}` }),
  ];
  const [first = "", second = ""] = groups.map(({ name }) => name);
  south = await server.users.create({ groupName: second, displayName: "Eva Brandt (Süd)" });
  north = await server.users.create({ groupName: first, displayName: "Eva Brandt" });
  await connect(server, upstream.google, eva, south.id);
  await connect(server, upstream.google, eva, north.id);
});

const FORM = "/login/google/account";

/** Signs in up to the account selection. */
const openSelection = (request = party.request()) => signInAt(browser, request.url, setup.upstream.google, eva.sub);

type Shown = {
  accounts: { id: string; name: string; username: string; group_name: string; blocked: boolean; last_used: boolean }[];
  token: string;
};

function selectionOf(page: HttpResponse): Shown {
  const { account_selection } = stateOf(page);
  return account_selection as Shown;
}

const choose = async (page: HttpResponse, username: string, other: Record<string, string> = {}) =>
  followRedirects(
    browser,
    await browser.submit(
      page,
      {
        ...page.page().form(FORM),
        fields: [
          ...page
            .page()
            .form(FORM)
            .fields.filter(([name]) => name !== "username"),
          ["username", ""],
        ],
      },
      { username, ...other },
    ),
  );

describe("with simultaneous responses", () => {
  const isFailure = ({ status }: HttpResponse) => status >= 500;

  test("the choice of an account signs in once, and no request fails", async () => {
    const page = await openSelection();
    const { login_challenge, xsrf_token: _xsrf } = stateOf(page);
    const fields = {
      _xsrf: String(_xsrf),
      login_challenge: String(Object(stateOf(page).account_selection).login_challenge),
    };
    expect(login_challenge).toBeUndefined();
    const typed = { ...fields, token: selectionOf(page).token, username: north.id };
    const ends = await Promise.all(
      [1, 2, 3, 4].map(async () => followRedirects(browser, await browser.post(FORM, typed))),
    );
    expect(ends.filter(isFailure)).toEqual([]);
    expect(ends.filter(({ location }) => location?.startsWith(party.redirectUri))).toHaveLength(1);
    expect(await findSignedInUser(party, browser)).toBe(north.id);
  });

  test("the provider's callback creates one selection, and no request fails", async () => {
    const back = await chooseUser(browser, await goToProvider(browser, party.request().url, "google"), eva.sub);
    const ends = await Promise.all([1, 2, 3, 4].map(() => open(browser, back.location ?? "")));
    expect(ends.filter(isFailure)).toEqual([]);
    expect(ends.filter((end) => hasForm(end, FORM)).length).toBeGreaterThanOrEqual(1);
  });
});

describe("one identity with accounts in two offices", () => {
  test("selects an account, sorted by group; the two selections are two subjects", async () => {
    const page = await openSelection();
    expect([page.status, new URL(page.url).pathname]).toEqual([200, FORM]);
    expect(selectionOf(page).accounts).toEqual([
      {
        id: north.id,
        name: "Eva Brandt",
        username: north.username,
        group_name: `North ${groupCount}`,
        blocked: false,
        last_used: false,
      },
      {
        id: south.id,
        name: "Eva Brandt (Süd)",
        username: south.username,
        group_name: `Süd ${groupCount}`,
        blocked: false,
        last_used: false,
      },
    ]);
    await choose(page, south.id);
    expect(await findSignedInUser(party, browser)).toBe(south.id);

    browser = setup.server.browser();
    await choose(await openSelection(), north.id);
    expect(await findSignedInUser(party, browser)).toBe(north.id);
  });

  test("sees the one it used last first, marked as such", async () => {
    await choose(await openSelection(), south.id);
    browser = setup.server.browser();
    const page = await openSelection();
    expect(selectionOf(page).accounts.map(({ id, last_used }) => [id, last_used])).toEqual([
      [south.id, true],
      [north.id, false],
    ]);
    const buttons = page.page().all("button", { name: "username" });
    expect(buttons.map(({ text }) => text.includes("Last used"))).toEqual([true, false]);
    expect(buttons[0]?.text).toContain(south.username);
  });

  test("is asked again with prompt=select_account, which is forwarded to Google", async () => {
    await choose(await openSelection(), south.id);
    const question = await open(browser, party.request({ prompt: "select_account" }).url);
    expect(hasForm(question, "/login/proceed")).toBe(true);
    const form = await useOtherAccount(browser, question);
    const away = await browser.get(linkTo(form, "google"));
    expect(new URL(away.location ?? "").searchParams.get("prompt")).toBe("select_account");
    const page = await returnFromProvider(browser, await chooseUser(browser, await browser.follow(away), eva.sub));
    await choose(page, north.id);
    expect(await findSignedInUser(party, browser)).toBe(north.id);
  });

  test("sees a blocked account with the reason, and cannot choose it", async () => {
    await blockUser(setup.server.context, north.username);
    const page = await openSelection();
    expect(selectionOf(page).accounts.map(({ blocked }) => blocked)).toEqual([true, false]);
    const button = page.page().one("button", { value: north.id });
    expect("disabled" in button.attributes).toBe(true);
    expect(button.text).toContain("Blocked at the moment");

    const refused = await choose(page, north.id);
    expect([refused.status, stateOf(refused)["error"]]).toEqual([401, "credentials"]);
    expect(await findSignedInUser(party, browser)).toBe("login_required");
    await choose(refused, south.id);
    expect(await findSignedInUser(party, browser)).toBe(south.id);
  });

  test("without a choice is asked again", async () => {
    const page = await openSelection();
    const again = await browser.submit(page, page.page().form(FORM));
    expect([again.status, stateOf(again)["error"]]).toEqual([400, "bad request"]);
    expect(again.body).toContain("Choose one of the accounts");
    await choose(again, south.id);
    expect(await findSignedInUser(party, browser)).toBe(south.id);
  });

  // Proves requirement 22.
  test("needs the second factor of the account that it chose", async () => {
    const { name: groupName } = await setup.server.groups.create({ requireMfa: true });
    const strict = await setup.server.users.create({ groupName });
    await connect(setup.server, setup.upstream.google, eva, strict.id);
    const page = await choose(await openSelection(), strict.id);
    expect(new URL(page.url).pathname).toBe("/mfa/verify");
    expect(await findSignedInUser(party, browser)).toBe("login_required");
  });
});

describe("the form", () => {
  test.each<[string, () => Promise<string>]>([
    ["of a stranger", async () => (await setup.server.users.create()).id],
    ["that is none", async () => "nobody"],
    ["with a NUL in it", async () => "a\u0000b"],
  ])("refuses an account %s: it is not in the token's list", async (_what, idOf) => {
    const page = await openSelection();
    const response = await choose(page, await idOf());
    expect([400, 401]).toContain(response.status);
    expect(await findSignedInUser(party, browser)).toBe("login_required");
  });

  test("refuses an account that was connected after the list was made, and one that was disconnected", async () => {
    const page = await openSelection();
    const late = await setup.server.users.create({ groupName: (await setup.server.groups.create()).name });
    await connect(setup.server, setup.upstream.google, eva, late.id);
    const refused = await choose(page, late.id);
    expect(stateOf(refused)["error"]).toBe("credentials");

    await removeExternalAccount(setup.server.context.store, south.id, "google");
    expect(stateOf(await choose(refused, south.id))["error"]).toBe("credentials");
    expect(await findSignedInUser(party, browser)).toBe("login_required");
  });

  test("works once: twenty at the same moment are one sign-in", async () => {
    const page = await openSelection();
    const { fields } = page.page().form(FORM);
    const values = { ...Object.fromEntries(fields), username: south.id };
    const responses = await Promise.all(Array.from({ length: 20 }, () => browser.post(FORM, values)));
    expect(responses.filter(({ status }) => status === 303)).toHaveLength(1);
  });

  test("is good in its own browser and for ten minutes", async () => {
    const page = await openSelection();
    const values = { ...Object.fromEntries(page.page().form(FORM).fields), username: south.id };
    const thief = setup.server.browser();
    expect((await thief.post(FORM, values)).status).toBe(400);

    setup.server.clock.advance(10 * 60);
    const late = await browser.post(FORM, values);
    expect([late.status, late.page().text]).toEqual([403, expect.stringContaining("sign in with Google again")]);
    expect(await findSignedInUser(party, browser)).toBe("login_required");
  });

  test("of an older page is refused, without an effect", async () => {
    const older = await openSelection();
    await browser.get(older.url);
    const response = await choose(older, south.id);
    expect([response.status, stateOf(response)["error"]]).toEqual([403, "xsrf"]);
    await choose(response, south.id);
    expect(await findSignedInUser(party, browser)).toBe(south.id);
  });

  test("refuses a forged anti-forgery token", async () => {
    const response = await choose(await openSelection(), south.id, { _xsrf: "forged" });
    expect([response.status, stateOf(response)["error"]]).toEqual([403, "xsrf"]);
    expect(await findSignedInUser(party, browser)).toBe("login_required");
  });

  test("is not accepted for another provider", async () => {
    const page = await openSelection();
    const values = { ...Object.fromEntries(page.page().form(FORM).fields), username: south.id };
    const response = await browser.post("/login/microsoft/account", values);
    expect(response.location).toBeNull();
    expect(await findSignedInUser(party, browser)).toBe("login_required");
  });
});
