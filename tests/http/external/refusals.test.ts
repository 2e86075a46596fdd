import { createHmac, createPublicKey, generateKeyPairSync } from "node:crypto";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import type { TestUser } from "#tests/support/server.ts";
import { type Faults, signAs } from "#tests/support/upstream.ts";
import { addProviderUser, connect, providersOfFile, startWithProviders } from "./providers.ts";
import { chooseUser, goToProvider, linkTo, postToCallback, returnFromProvider, signInAt } from "./steps.ts";

let browser: Browser;
let anna: TestUser;
let sub: string;

const setup = await providersOfFile();
const party = await setup.server.parties.create({ firstParty: true });

beforeEach(async () => {
  browser = setup.server.browser();
  const { google } = setup.upstream;
  anna = await setup.server.users.create();
  ({ sub } = addProviderUser(google));
  await connect(setup.server, google, { sub }, anna.id);
});

afterEach(() => {
  for (const upstream of Object.values(setup.upstream)) upstream.clearFaults();
});

/** Returns users and linked accounts, which no refused response may change. */
async function accounts() {
  const { q, t } = setup.server.context.store;
  const users = await q.select({ id: t.users.id, status: t.users.status, at: t.users.updatedAt }).from(t.users);
  const linked = await q.select().from(t.externalAccounts);
  return JSON.stringify([
    users.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    linked.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  ]);
}

/** Expects the page for a failed external sign-in, and no session. */
async function expectRefused(page: HttpResponse, code: string) {
  expect(page.location).toBeNull();
  expect([page.status, stateOf(page)["login_result"]]).toEqual([
    400,
    expect.objectContaining({ status: "failed", code }),
  ]);
  expect(page.page().all("h1")).toHaveLength(1);
  expect(await findSignedInUser(party, browser)).toBe("login_required");
}

/** Expects the sign-in form with a status note instead of an error. */
function expectNote(page: HttpResponse) {
  expect(page.status).toBe(200);
  expect(stateOf(page)).not.toHaveProperty("login_result");
  expect(stateOf(page)).not.toHaveProperty("error");
  expect(page.page().title).not.toContain("Error");
  expect(page.page().all("div", { role: "alert" })).toEqual([]);
  expect(page.page().one("div", { role: "status" }).text).toContain("You cancelled signing in with Google.");
  const { buttons } = page.page().form("/login/native");
  expect(buttons.every(({ disabled }) => !disabled)).toBe(true);
}

/** Signs in at Google, which misbehaves as specified; returns the page. */
async function signInWith(how: Faults): Promise<HttpResponse> {
  setup.upstream.google.setFaults(how);
  return signInAt(browser, party.request().url, setup.upstream.google, sub);
}

const MINUTES = 60;

const unsigned = (claims: object) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part(claims)}.`;
};

/** Signs claims by HS256 with Google's public key as secret, which anyone can read (algorithm confusion). */
function withPublicKey(claims: object, { jwk, kid }: { jwk: JWK; kid: string }) {
  const pem = createPublicKey({ key: { ...jwk }, format: "jwk" }).export({ type: "spki", format: "pem" });
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${part({ alg: "HS256", kid })}.${part(claims)}`;
  return `${text}.${createHmac("sha256", pem).update(text).digest("base64url")}`;
}

async function ownKey() {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  return exportJWK(privateKey);
}

/** Invalid ID tokens, by defect. */
const TOKENS: Readonly<Record<string, Faults>> = {
  "another nonce": { claims: (claims) => ({ ...claims, nonce: "another nonce" }) },
  "no nonce": { claims: ({ nonce: _nonce, ...claims }) => claims },
  "another issuer": { claims: (claims) => ({ ...claims, iss: "https://accounts.example" }) },
  "the issuer with a slash": { claims: (claims) => ({ ...claims, iss: `${claims["iss"]}/` }) },
  "another audience": { claims: (claims) => ({ ...claims, aud: "somebody-else" }) },
  "two audiences without azp": { claims: (claims) => ({ ...claims, aud: [claims["aud"], "somebody-else"] }) },
  "two audiences and another azp": {
    claims: (claims) => ({ ...claims, aud: [claims["aud"], "somebody-else"], azp: "somebody-else" }),
  },
  "another azp": { claims: (claims) => ({ ...claims, azp: "somebody-else" }) },
  "no subject": { claims: ({ sub: _sub, ...claims }) => claims },
  "an empty subject": { claims: (claims) => ({ ...claims, sub: "" }) },
  "a blank subject": { claims: (claims) => ({ ...claims, sub: "  " }) },
  "a subject that is not a string": { claims: (claims) => ({ ...claims, sub: 7 }) },
  "a subject of 256 letters": { claims: (claims) => ({ ...claims, sub: "s".repeat(256) }) },
  "an end in the past": { claims: (claims) => ({ ...claims, exp: Number(claims["iat"]) - 31 }) },
  "no end": { claims: ({ exp: _exp, ...claims }) => claims },
  "a time it is not good before": { claims: (claims) => ({ ...claims, nbf: Number(claims["iat"]) + 2 * MINUTES }) },
  "a clock ten minutes fast": { claims: (claims) => ({ ...claims, iat: Number(claims["iat"]) + 10 * MINUTES }) },
  "a clock ten minutes slow": { claims: (claims) => ({ ...claims, iat: Number(claims["iat"]) - 10 * MINUTES }) },
  "a time of issue a day ahead": { claims: (claims) => ({ ...claims, iat: Number(claims["iat"]) + 1440 * MINUTES }) },
  "an issue time that is not a number": { claims: (claims) => ({ ...claims, iat: "now" }) },
  "no signature (alg none)": { idToken: unsigned },
  "HS256 with the public key": { idToken: withPublicKey },
  "a key of its own under Google's kid": {
    idToken: async (claims, { kid }) => signAs(claims, { jwk: await ownKey(), kid }),
  },
  "an unknown kid": { idToken: (claims, { jwk }) => signAs(claims, { jwk, kid: "nobody" }) },
  "a key in its own header (jwk)": {
    idToken: async (claims) => {
      const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
      const header = { jwk: publicKey.export({ format: "jwk" }) };
      return signAs(claims, { jwk: { ...privateKey.export({ format: "jwk" }) }, kid: "own", header });
    },
  },
  "an algorithm that Google does not use": {
    idToken: async (claims) => {
      const { privateKey } = await generateKeyPair("ES256", { extractable: true });
      return signAs(claims, { jwk: await exportJWK(privateKey), kid: "google-key-1", alg: "ES256" });
    },
  },
  "no ID token at all": { token: { status: 200, body: { access_token: "a", token_type: "Bearer" } } },
  "a value that is not a token": { idToken: () => "no.token" },
};

describe("an ID token", () => {
  // Proves requirements 100, 101, 104.
  test.each(Object.entries(TOKENS))("with %s signs no user in", async (_what, how) => {
    const before = await accounts();
    await expectRefused(await signInWith(how), "provider failed");
    expect(await accounts()).toBe(before);
  });

  // Proves requirement 101.
  test.each([
    [
      "two audiences, if azp names us",
      { claims: (claims) => ({ ...claims, aud: [claims["aud"], "other"], azp: claims["aud"] }) },
    ],
    [
      "a date five minutes back, as some providers write it",
      { claims: (claims) => ({ ...claims, iat: Number(claims["iat"]) - 5 * MINUTES }) },
    ],
    ["a clock half a minute fast", { claims: (claims) => ({ ...claims, iat: Number(claims["iat"]) + 30 }) }],
  ] as [string, Faults][])("with %s is accepted", async (_what, how) => {
    await signInWith(how);
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  // Proves requirement 104.
  test("with an unknown kid causes one reload of the keys, and none for the next one", async () => {
    const { google } = setup.upstream;
    await signInWith({});
    setup.server.clock.advance(61);
    const { keys } = google.counts;
    for (let times = 0; times < 3; times += 1) {
      browser = setup.server.browser();
      await expectRefused(
        await signInWith({ idToken: (claims, { jwk }) => signAs(claims, { jwk, kid: "nobody" }) }),
        "provider failed",
      );
    }
    expect(google.counts.keys - keys).toBe(1);
  });
});

describe("a response of Google", () => {
  // Proves requirement 102.
  test("that arrives in another browser is refused there, and still works in its own", async () => {
    const response = await chooseUser(browser, await goToProvider(browser, party.request().url, "google"), sub);
    const thief = setup.server.browser();
    const page = await returnFromProvider(thief, response);
    expect([page.status, stateOf(page)["login_result"]]).toEqual([400, expect.objectContaining({ code: "challenge" })]);
    expect(await findSignedInUser(party, thief)).toBe("login_required");

    await returnFromProvider(browser, response);
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
  });

  // Proves requirement 102.
  test("works once: the second time it is refused, without a request to Google", async () => {
    const response = await chooseUser(browser, await goToProvider(browser, party.request().url, "google"), sub);
    await returnFromProvider(browser, response);
    const { token } = setup.upstream.google.counts;
    const page = await open(browser, response.location ?? "");
    expect([page.status, stateOf(page)["login_result"]]).toEqual([400, expect.objectContaining({ code: "challenge" })]);
    expect(setup.upstream.google.counts.token).toBe(token);
  });

  // Proves requirement 105.
  test.each(["microsoft", "apple"])("is none at the callback of %s", async (other) => {
    const response = await chooseUser(browser, await goToProvider(browser, party.request().url, "google"), sub);
    await expectRefused(
      await open(browser, (response.location ?? "").replace("/login/google/", `/login/${other}/`)),
      "challenge",
    );
  });

  // Proves requirement 105.
  test("is refused with a code of Microsoft, even where Microsoft would accept that code from us", async () => {
    const { microsoft } = setup.upstream;
    const other = addProviderUser(microsoft);
    const google = await chooseUser(browser, await goToProvider(browser, party.request().url, "google"), sub);
    const foreign = await chooseUser(browser, await goToProvider(browser, party.request().url, "microsoft"), other.sub);
    const mixed = new URL(google.location ?? "");
    mixed.searchParams.set("code", new URL(foreign.location ?? "").searchParams.get("code") ?? "");
    await expectRefused(await open(browser, mixed.href), "provider failed");
  });

  // Proves requirement 105.
  test("is refused that names another issuer (RFC 9207)", async () => {
    const response = await chooseUser(browser, await goToProvider(browser, party.request().url, "google"), sub);
    const mixed = new URL(response.location ?? "");
    mixed.searchParams.set("iss", setup.upstream.microsoft.issuer);
    await expectRefused(await open(browser, mixed.href), "provider failed");
  });

  test.each(["", "state=", "state=made-up&code=made-up", "attempt=made-up", "code=1"])(
    "without a pending attempt is refused: ?%s",
    async (query) => {
      await expectRefused(await open(browser, `${setup.server.url}/login/google/callback?${query}`), "challenge");
    },
  );

  test("with access_denied leads back to the sign-in form with a note, and the request continues", async () => {
    const request = party.request();
    const page = await returnFromProvider(
      browser,
      await chooseUser(browser, await goToProvider(browser, request.url, "google"), ""),
    );
    expectNote(page);
    expect(linkTo(page, "google")).toMatch(/^\/login\/google\?/);
    const response = await typePassword(browser, page, await setup.server.users.create());
    expect(redirectParameters(response)).toMatchObject({ code: expect.any(String), state: request.state });
  });

  test.each(["login_required", "consent_required", "interaction_required", "account_selection_required"])(
    "with the error %s leads back to the sign-in form, too",
    async (error) => {
      const away = await browser.get(linkTo(await open(browser, party.request().url), "google"));
      const state = new URL(away.location ?? "").searchParams.get("state") ?? "";
      const query = new URLSearchParams({ error, state });
      expectNote(await open(browser, `${setup.server.url}/login/google/callback?${query}`));
    },
  );

  test("with another error shows that Google did not complete the sign-in, without the provider's text", async () => {
    const away = await browser.get(linkTo(await open(browser, party.request().url), "google"));
    const state = new URL(away.location ?? "").searchParams.get("state") ?? "";
    const { issuer } = setup.upstream.google;
    const errorResponse = new URLSearchParams({
      state,
      error: "server_error",
      error_description: "<b>call 0900</b>",
      iss: issuer,
    });
    const page = await open(browser, `${setup.server.url}/login/google/callback?${errorResponse}`);
    await expectRefused(page, "provider failed");
    expect(page.body).not.toContain("0900");
  });

  test.each([
    ["an error", { status: 400, body: { error: "invalid_grant" } }],
    ["a defect", { status: 500, body: {} }],
    ["nonsense", { status: 200, body: { hello: 1 } }],
  ])("is refused when the token endpoint responds with %s", async (_what, token) => {
    await expectRefused(await signInWith({ token }), "provider failed");
  });

  test("fails within seconds when the token endpoint does not respond", async () => {
    const from = performance.now();
    await expectRefused(await signInWith({ token: "silence" }), "provider failed");
    expect(performance.now() - from).toBeLessThan(10_000);
  });
});

describe("what Apple posts", () => {
  beforeEach(async () => {
    const { apple } = setup.upstream;
    ({ sub } = addProviderUser(apple));
    await connect(setup.server, apple, { sub }, anna.id);
  });

  const posted = async () => chooseUser(browser, await goToProvider(browser, party.request().url, "apple"), sub);

  test("sets no cookie and is in no URL", async () => {
    const form = await posted();
    const fields = Object.fromEntries(form.page().forms()[0]?.fields ?? []);
    const response = await postToCallback(browser, form);
    expect([response.status, response.setCookies]).toEqual([303, []]);
    expect(response.location).toMatch(/\/login\/apple\/callback\?attempt=[\w-]{43}$/);
    expect(response.location).not.toContain(String(fields["code"]));
  });

  test("signs no user in in another browser", async () => {
    const response = await postToCallback(browser, await posted());
    const victim = setup.server.browser();
    const page = await open(victim, response.location ?? "");
    expect([page.status, stateOf(page)["login_result"]]).toEqual([400, expect.objectContaining({ code: "challenge" })]);
    expect(await findSignedInUser(party, victim)).toBe("login_required");
  });

  test("is accepted once: the same form again leads to an error page", async () => {
    const form = await posted();
    const first = await postToCallback(browser, form);
    const second = await postToCallback(browser, form);
    expect(second.location).toBe(`${setup.server.url}/login/apple/callback`);
    await returnFromProvider(browser, { ...first });
    expect(await findSignedInUser(party, browser)).toBe(anna.id);
    const again = await open(browser, first.location ?? "");
    expect(again.status).toBe(400);
  });

  test.each([
    ["made up", { state: "made-up", code: "made-up" }],
    ["without a state", { code: "made-up" }],
    ["with two states", { state: ["a", "b"], code: "made-up" }],
    ["with a code of a megabyte", null],
  ])("and is %s is refused without a trace", async (_what, fields) => {
    const before = await accounts();
    const { q, t } = setup.server.context.store;
    const rows = await q.$count(t.oneTimeTokens);
    const url = `${setup.server.url}/login/apple/callback`;
    const cross = { headers: { origin: "https://appleid.apple.com", "sec-fetch-site": "cross-site", cookie: "" } };
    const response = await browser.post(url, fields ?? { state: "a", code: "c".repeat(1_000_000) }, cross);
    if (fields === null) expect(response.status).toBe(413);
    else expect([response.status, response.location]).toEqual([303, url]);
    expect(await q.$count(t.oneTimeTokens)).toBe(rows);
    expect(await accounts()).toBe(before);
    if (fields !== null) await expectRefused(await open(browser, url), "challenge");
  });

  test("is posted nowhere else from another site", async () => {
    const cross = { headers: { origin: "https://appleid.apple.com", "sec-fetch-site": "cross-site" } };
    for (const path of ["/login/google/callback", "/login/apple/account", "/login/apple/callback/"]) {
      expect((await browser.post(path, { state: "a" }, cross)).status).toBe(403);
    }
  });

  test("requested with a foreign key gets no token", async () => {
    const wrong = await startWithProviders({
      APPLE_PRIVATE_KEY: generateKeyPairSync("ec", { namedCurve: "P-256" })
        .privateKey.export({ type: "pkcs8", format: "pem" })
        .toString(),
    });
    try {
      const { apple } = wrong.upstream;
      const providerUser = addProviderUser(apple);
      const own = await wrong.server.parties.create({ firstParty: true });
      const page = await signInAt(wrong.server.browser(), own.request().url, apple, providerUser.sub);
      expect(stateOf(page)["login_result"]).toMatchObject({ code: "provider failed" });
      expect(wrong.server.lines().some(({ reason }) => reason === "apple: answered invalid_client")).toBe(true);
    } finally {
      await wrong.close();
    }
  });
});

describe("a provider", () => {
  // Proves requirement 106.
  test("whose discovery names another issuer is not used", async () => {
    const own = await startWithProviders();
    try {
      own.upstream.google.setFaults({ discovery: (document) => ({ ...document, issuer: `${document["issuer"]}/` }) });
      const rp = await own.server.parties.create({ firstParty: true });
      const otherBrowser = own.server.browser();
      const page = await goToProvider(otherBrowser, rp.request().url, "google");
      expect([page.status, stateOf(page)["login_result"]]).toEqual([
        400,
        expect.objectContaining({ code: "provider failed" }),
      ]);
      own.upstream.google.clearFaults();
      expect(new URL((await goToProvider(otherBrowser, rp.request().url, "google")).url).origin).not.toBe(
        own.server.url,
      );
    } finally {
      await own.close();
    }
  });

  test("that is down is reported within seconds, and the attempt is removed", async () => {
    const own = await startWithProviders();
    const otherBrowser = own.server.browser();
    try {
      const rp = await own.server.parties.create({ firstParty: true });
      await own.upstream.google.close();
      const from = performance.now();
      const page = await goToProvider(otherBrowser, rp.request().url, "google");
      expect(performance.now() - from).toBeLessThan(6_000);
      expect(page.body).toContain("Google did not complete the sign-in.");
      expect([page.status, stateOf(page)["login_result"]]).toEqual([
        400,
        expect.objectContaining({ code: "provider failed" }),
      ]);
      expect(new URL((await goToProvider(otherBrowser, rp.request().url, "microsoft")).url).pathname).toContain(
        "/sign-in/",
      );
    } finally {
      await own.close();
    }
  });

  test("gets one discovery request for many sign-ins", async () => {
    const { google } = setup.upstream;
    await signInWith({});
    const { discovery } = google.counts;
    for (let times = 0; times < 3; times += 1) {
      browser = setup.server.browser();
      await signInWith({});
    }
    expect(google.counts.discovery).toBe(discovery);
  });
});

describe("a user", () => {
  test("with a blocked account is refused like with a wrong password, with the reason, and stays blocked", async () => {
    await blockUser(setup.server.context, anna.username);
    const before = await accounts();
    const page = await signInWith({});
    expect([page.status, stateOf(page)["error"]]).toEqual([401, "credentials"]);
    expect(page.body).toContain("This account cannot sign in at the moment. Please contact your administrator.");
    expect(page.body).not.toContain("check your username");
    expect(page.body).not.toContain(anna.displayName);
    expect(await findSignedInUser(party, browser)).toBe("login_required");
    expect(await accounts()).toBe(before);
  });

  // Proves requirement 103.
  test.each([true, false])(
    "is not found by the e-mail address of an account here (verified there: %s)",
    async (verified) => {
      const { google } = setup.upstream;
      const stranger = addProviderUser(google, { email: `${anna.username}@office.example`, email_verified: verified });
      const before = await accounts();
      const page = await signInAt(browser, party.request().url, google, stranger.sub);
      expect([page.status, stateOf(page)["error"]]).toEqual([401, "credentials"]);
      expect(await accounts()).toBe(before);
      expect(await findSignedInUser(party, browser)).toBe("login_required");
    },
  );

  // Proves requirement 103.
  test("is not found by the same subject at another provider, or at another issuer", async () => {
    const { microsoft } = setup.upstream;
    microsoft.users.push({ sub, name: "Eva", email: "eva@ms.example", email_verified: true });
    const page = await signInAt(browser, party.request().url, microsoft, sub);
    expect([page.status, stateOf(page)["error"]]).toEqual([401, "credentials"]);
  });

  test.each([
    ["google", "Please connect your account with a Google account in your account settings."],
    ["microsoft", "Please connect your account with a Microsoft account in your account settings."],
    ["apple", "Please connect your account with an Apple account in your account settings."],
  ] as const)("without an account sees a text that names %s, also after a reload", async (name, text) => {
    const upstream = setup.upstream[name];
    const stranger = addProviderUser(upstream);
    const page = await signInAt(browser, party.request().url, upstream, stranger.sub);
    const again = await browser.get(page.url);
    for (const shown of [page, again]) {
      expect([shown.status, stateOf(shown)["error"]]).toEqual([401, "credentials"]);
      expect(shown.page().text).toContain(`Could not find any connected account. ${text}`);
    }
  });
});

describe("the addresses of providers", () => {
  test("are unknown where a provider is not configured, or is none", async () => {
    const none = await startWithProviders({ GOOGLE_CLIENT_ID: "", GOOGLE_CLIENT_SECRET: "", GOOGLE_ISSUER: "" });
    try {
      const otherBrowser = none.server.browser();
      for (const path of ["/login/google", "/login/google/callback", "/login/google/account", "/login/facebook"]) {
        expect((await otherBrowser.get(path)).status).toBe(404);
      }
      const own = await none.server.parties.create({ firstParty: true });
      const page = await open(otherBrowser, own.request().url);
      expect(() => linkTo(page, "google")).toThrow();
      expect(linkTo(page, "apple")).toMatch(/^\/login\/apple\?/);
    } finally {
      await none.close();
    }
  });

  test("without a request show the error page", async () => {
    const page = await open(browser, `${setup.server.url}/login/google`);
    expect([page.status, stateOf(page)["error"]]).toEqual([400, "challenge"]);
  });
});

describe("after an account that does not lead to a sign-in", () => {
  const promptAt = async (page: HttpResponse, provider: "google" | "microsoft") => {
    const { location } = await browser.get(linkTo(page, provider));
    return new URL(location ?? "about:blank").searchParams.get("prompt");
  };

  test("because it is not connected, its provider asks which one to use, instead of using it again", async () => {
    const { google } = setup.upstream;
    const page = await signInAt(browser, party.request().url, google, addProviderUser(google).sub);
    expect(await promptAt(page, "google")).toBe("select_account");
    expect(await promptAt(page, "microsoft")).toBeNull();
  });

  test("because its user is blocked, its provider asks which one to use", async () => {
    await blockUser(setup.server.context, anna.username);
    const page = await signInAt(browser, party.request().url, setup.upstream.google, sub);
    expect(await promptAt(page, "google")).toBe("select_account");
  });

  test("because the user cancelled, its provider is not told to ask", async () => {
    const page = await signInAt(browser, party.request().url, setup.upstream.google, "");
    expect(await promptAt(page, "google")).toBeNull();
  });
});
