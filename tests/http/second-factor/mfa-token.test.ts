import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { PENDING_SECONDS } from "#app/domain/pending-sign-in/pending.server.ts";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { refusalOf } from "#tests/http/login/open-form.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { giveKey, giveTotp } from "#tests/support/factors.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { startCeremony, statusAndBody, tokenOf } from "./calls.ts";
import { openStep } from "./steps.ts";

const UNAUTHORIZED = [401, { error: "unauthorized" }];

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

const at = eachTest(async () => {
  const anna = await server.users.create();
  const app = await giveTotp(server, anna);
  const browser = server.browser();
  const step = await openStep(browser, party.request().url, anna);
  return { anna, app, browser, step };
});

async function openAgain(user = at.anna, from = at.browser) {
  return openStep(from, party.request().url, user);
}

/** Tokens that are invalid for this page, by origin. */
const OTHERS: Readonly<Record<string, () => Promise<string>>> = {
  forged: async () => randomBytes(32).toString("base64url"),
  "of one changed letter": async () =>
    `${at.step.mfaToken.slice(0, -2)}${at.step.mfaToken.at(-2) === "A" ? "B" : "A"}w`,
  "of this user in another browser": async () => (await openAgain(at.anna, server.browser())).mfaToken,
  "of another user in another browser": async () => {
    const berta = await server.users.create();
    await giveTotp(server, berta);
    return (await openAgain(berta, server.browser())).mfaToken;
  },
  "used up by a sign-in": async () => {
    const token = tokenOf(await at.step.call("/mfa/verify-totp", { code: await at.app.code() }));
    codeOf(await followRedirects(at.browser, await at.step.post("/mfa/verify", { mfa_token: token })));
    return token;
  },
  "replaced by a correct code": async () => {
    await at.step.call("/mfa/verify-totp", { code: await at.app.code() });
    return at.step.mfaToken;
  },
  "replaced by a newer page": async () => {
    await at.browser.get(at.step.page.url);
    return at.step.mfaToken;
  },
  "of a question to a security key": async () => {
    await giveKey(server, at.anna);
    return (await startCeremony(at.step)).sessionId;
  },
  "the anti-forgery token": async () => at.step.xsrf,
  "the challenge": async () => at.step.challenge,
  "of ten minutes ago": async () => {
    server.clock.advance(PENDING_SECONDS);
    return at.step.mfaToken;
  },
};

describe.each(Object.entries(OTHERS))("an mfa_token that is %s", (_what, take) => {
  // Proves requirement 56.
  test("is unauthorized, with the right code too", async () => {
    const mfaToken = await take();
    const call = async (path: string, body?: unknown) => statusAndBody(await at.step.call(path, body, { mfaToken }));
    expect(await call("/mfa/verify-totp", { code: await at.app.code(1) })).toEqual(UNAUTHORIZED);
    expect(await call("/mfa/init-totp")).toEqual(UNAUTHORIZED);
    expect(await call("/mfa/init-fido2")).toEqual(UNAUTHORIZED);
    expect(await call("/mfa/setup-totp", { code: await at.app.code(1) })).toEqual(UNAUTHORIZED);
    expect(await call("/mfa/init-fido2-registration")).toEqual(UNAUTHORIZED);
    expect(await call("/mfa/verify-fido2", { id: "a" })).toEqual(UNAUTHORIZED);
    expect(await call("/mfa/setup-fido2", { sessionId: "a", credentialJson: "{}" })).toEqual(UNAUTHORIZED);
  });

  test("ends no sign-in as a form", async () => {
    const mfaToken = await take();
    const signedIn = await findSignedInUser(party, at.browser);
    const form = { mfa_token: mfaToken, code: await at.app.code(1) };
    const end = await followRedirects(at.browser, await at.step.post("/mfa/verify", form));
    expect(end.location).toBeNull();
    expect(await findSignedInUser(party, at.browser)).toBe(signedIn);
  });
});

describe("an empty mfa_token", () => {
  test("is a 401, and a form with an error and a valid token", async () => {
    expect(
      statusAndBody(await at.step.call("/mfa/verify-totp", { code: await at.app.code() }, { mfaToken: "" })),
    ).toEqual(UNAUTHORIZED);
    const response = await at.step.post("/mfa/verify", { mfa_token: "", code: await at.app.code() });
    expect(refusalOf(response)).toEqual({ status: 403, error: "xsrf" });
    expect(await findSignedInUser(party, at.browser)).toBe("login_required");
  });

  test("without a code is not a sign-in either", async () => {
    expect(refusalOf(await at.step.post("/mfa/verify", { mfa_token: "" }))).toEqual({ status: 403, error: "xsrf" });
    expect(await findSignedInUser(party, at.browser)).toBe("login_required");
  });
});

describe("an mfa_token after a right code", () => {
  // Proves requirement 56.
  test("ends its own request alone: with another challenge it is refused, and its own still works", async () => {
    const other = await openAgain();
    const token = tokenOf(await at.step.call("/mfa/verify-totp", { code: await at.app.code() }));
    const swapped = await other.post("/mfa/verify", { mfa_token: token });
    expect(refusalOf(swapped)).toEqual({ status: 403, error: "xsrf" });
    expect(await findSignedInUser(party, at.browser)).toBe("login_required");
    codeOf(await followRedirects(at.browser, await at.step.post("/mfa/verify", { mfa_token: token })));
  });

  test("of another user at another request in the same browser signs no user in", async () => {
    const berta = await server.users.create();
    await giveTotp(server, berta);
    const hers = await openAgain(berta);
    const token = tokenOf(await at.step.call("/mfa/verify-totp", { code: await at.app.code() }));
    expect(refusalOf(await hers.post("/mfa/verify", { mfa_token: token }))).toEqual({ status: 403, error: "xsrf" });
    expect(await findSignedInUser(party, at.browser)).toBe("login_required");
  });

  test("in a copy of the browser's cookies, after the sign-in, is useless", async () => {
    const token = tokenOf(await at.step.call("/mfa/verify-totp", { code: await at.app.code() }));
    const end = await at.step.post("/mfa/verify", { mfa_token: token });
    codeOf(await followRedirects(at.browser, end));
    expect(new URL((await at.step.post("/mfa/verify", { mfa_token: token })).location ?? "").pathname).toBe("/login");
  });

  // Proves requirement 56.
  test("posted 20 times at once ends one sign-in", async () => {
    const token = tokenOf(await at.step.call("/mfa/verify-totp", { code: await at.app.code() }));
    const post = () => at.step.post("/mfa/verify", { mfa_token: token });
    const responses = await Promise.all(Array.from({ length: 20 }, post));
    const goOn = responses.filter(({ location }) => location?.includes("/oauth2/auth/"));
    expect(goOn).toHaveLength(1);
    expect(responses.filter(({ status }) => status >= 500)).toEqual([]);
    for (const response of goOn) codeOf(await followRedirects(at.browser, response));
  });
});

/** Administrator's changes to a user at the second step. */
const CHANGES: Readonly<Record<string, () => Promise<unknown>>> = {
  "who was blocked": () => blockUser(server.context, at.anna.username),
  "who was blocked and let in again": async () => {
    await blockUser(server.context, at.anna.username);
    await unblockUser(server.context, at.anna.username);
  },
  "whose password was changed": () => setUserPassword(server.context, at.anna.username, "Ledger-Window-28-Elm"),
};

describe.each(Object.entries(CHANGES))("the mfa_token of a user %s", (_what, change) => {
  test("is unauthorized before the code", async () => {
    await change();
    expect(statusAndBody(await at.step.call("/mfa/verify-totp", { code: await at.app.code() }))).toEqual(UNAUTHORIZED);
    const response = await followRedirects(
      at.browser,
      await at.step.post("/mfa/verify", { code: await at.app.code() }),
    );
    expect(refusalOf(response)).toEqual({ status: 400, error: "unauthorized" });
    expect(await findSignedInUser(party, at.browser)).toBe("login_required");
  });

  test("ends no sign-in after the code", async () => {
    const token = tokenOf(await at.step.call("/mfa/verify-totp", { code: await at.app.code() }));
    await change();
    const response = await followRedirects(at.browser, await at.step.post("/mfa/verify", { mfa_token: token }));
    expect(refusalOf(response)).toEqual({ status: 400, error: "unauthorized" });
    expect(await findSignedInUser(party, at.browser)).toBe("login_required");
  });
});
