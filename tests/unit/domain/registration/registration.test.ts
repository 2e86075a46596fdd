import { describe, expect, it } from "vitest";
import { createClient } from "#app/db/repositories/clients.server.ts";
import { findUserByUsername } from "#app/db/repositories/users.server.ts";
import { storeOutcome } from "#app/domain/external-account/outcome.server.ts";
import { beginRegistration } from "#app/domain/registration/begin.server.ts";
import { completeRegistration, NAME_LIMIT } from "#app/domain/registration/complete.server.ts";
import { redeemRegistration } from "#app/domain/registration/redeem.server.ts";
import { findReturn, isRegistered } from "#app/domain/registration/return.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import { type Dialect, dialects, withStore } from "#tests/support/databases.ts";
import { queuedMails, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { installation, REQUEST } from "#tests/unit/domain/fixtures.ts";

const HINT = { key: "email", value: "typed@office.example" };
const ACCOUNT = {
  username: "carla",
  displayName: "Carla",
  picture: null,
  address: null,
  email: "carla@office.example",
};

const REGISTRATION_URL = "https://suite.example/new?from=login";

/** A sign-in of the client "suite" waits in one browser; the functions are the steps of a registration. */
async function waiting(dialect: Dialect) {
  const deps = installation(await withStore(dialect));
  const { clock } = deps;
  const times = { createdAt: clock.now(), updatedAt: clock.now() };
  for (const id of ["suite", "maps"]) {
    const client = { id, name: id, authMethod: "none", registrationUrl: REGISTRATION_URL, ...times } as const;
    await createClient(deps.store, client);
  }
  const interaction = { uid: "uid", browser: "browser" };
  async function begin() {
    const url = await beginRegistration(deps, {
      ...{ uid: "uid", registrationUrl: REGISTRATION_URL, language: "de" },
      ...{ hints: [HINT], regHints: ["email", "name"] },
      metadata: { ...REQUEST, browser: "browser", clientId: "suite" },
    });
    return new URL(url).searchParams.get("registration_token") ?? "";
  }
  const redeem = (registrationToken: string, clientId = "suite") =>
    redeemRegistration(deps, { registrationToken, clientId, address: "192.0.2.1", requestId: "r" });
  async function redeemed() {
    const redemption = await redeem(await begin());
    if (redemption.kind !== "redeemed") throw new Error(redemption.kind);
    return redemption.registrationId;
  }
  const complete = (registrationId: string, account: Partial<typeof ACCOUNT> = {}, clientId = "suite") =>
    completeRegistration(deps, {
      ...{ registrationId, account: { ...ACCOUNT, ...account }, clientId, address: "192.0.2.1", requestId: "r" },
    });
  async function completed() {
    const completion = await complete(await redeemed());
    if (completion.kind !== "completed") throw new Error(completion.kind);
    return new URL(completion.callbackUrl).searchParams.get("token") ?? "";
  }
  return { deps, clock, interaction, begin, redeem, redeemed, complete, completed };
}

describe.each(dialects)("a registration on %s", (dialect) => {
  it("passes the declared hints to the client, once, also for simultaneous calls", async () => {
    const { begin, redeem } = await waiting(dialect);
    const token = await begin();
    const all = await Promise.all([redeem(token), redeem(token), redeem(token)]);
    expect(all.map(({ kind }) => kind).sort()).toEqual(["not found", "not found", "redeemed"]);
    expect(all.find(({ kind }) => kind === "redeemed")).toMatchObject({ hints: [HINT], verified: [] });
  });

  it("passes the verified claims of a provider instead of the typed ones", async () => {
    const { deps, interaction, begin, redeem } = await waiting(dialect);
    const identity = { provider: "google", issuer: "https://google.example", subject: "eva", name: null } as const;
    const claims = { email: "eva@google.example", emailVerified: true, name: "Eva", givenName: null, familyName: null };
    await storeOutcome(deps, interaction, { kind: "unknown", provider: "google", identity, claims });
    const hints = [
      { key: "email", value: "eva@google.example" },
      { key: "name", value: "Eva" },
    ];
    expect(await redeem(await begin())).toMatchObject({ kind: "redeemed", hints, verified: ["email"] });
  });

  it.each([
    ["by another client", "maps", 0],
    ["after an hour", "suite", 1],
  ])("is not found %s, at either step, but was until then", async (_how, clientId, seconds) => {
    const { deps, clock, begin, redeem, redeemed, complete } = await waiting(dialect);
    const registrationId = await redeemed();
    clock.advance(HOUR_SECONDS - 1);
    expect(await complete(registrationId, { username: "" })).toMatchObject({ kind: "refused" });
    clock.advance(seconds);
    expect(await complete(registrationId, {}, clientId)).toEqual({ kind: "not found" });
    expect(await findUserByUsername(deps.store, "carla")).toBeNull();
    const token = await begin();
    clock.advance(HOUR_SECONDS - 1 + seconds);
    expect(await redeem(token, clientId)).toEqual({ kind: "not found" });
    const other = await begin();
    clock.advance(HOUR_SECONDS - 1);
    expect(await redeem(other)).toMatchObject({ kind: "redeemed" });
  });

  it("creates one account with the language of its page, without a password, and mails an invitation", async () => {
    const { deps, redeemed, complete } = await waiting(dialect);
    const registrationId = await redeemed();
    const all = await Promise.all(["carla", "carlo"].map((username) => complete(registrationId, { username })));
    expect(all.map(({ kind }) => kind).sort()).toEqual(["completed", "not found"]);
    const users = await deps.store.q.select().from(deps.store.t.users);
    expect(users).toMatchObject([{ locale: "de", passwordHash: null, emailVerified: false }]);
    expect([await queuedMails(deps.store), await storedEvents(deps.store)]).toEqual([
      ["invitation"],
      ["user.added", "registration.completed"],
    ]);
  });

  it("stays open after invalid data, but for 20 names only: a client must not enumerate users", async () => {
    const { redeemed, complete } = await waiting(dialect);
    const registrationId = await redeemed();
    for (let times = 1; times < NAME_LIMIT.points; times += 1)
      expect(await complete(registrationId, { username: "" })).toMatchObject({
        kind: "refused",
        code: "username is empty",
      });
    const fields = { kind: "refused", code: "user is invalid", fields: ["email"] };
    expect(await complete(registrationId, { email: "no address" })).toMatchObject(fields);
    expect(await complete(registrationId)).toMatchObject({ kind: "throttled", retryAfterSeconds: HOUR_SECONDS });
  });

  it("leads back to its sign-in in its browser alone, for an hour, as often as the page is loaded", async () => {
    const { deps, clock, interaction, completed } = await waiting(dialect);
    expect(await isRegistered(deps, interaction)).toBe(false);
    const token = await completed();
    expect(await isRegistered(deps, interaction)).toBe(true);
    expect(await isRegistered(deps, { ...interaction, browser: "another" })).toBe(false);
    const back = { kind: "back", uid: "uid", username: "carla" };
    expect([
      await findReturn(deps, { token, browser: "browser" }),
      await findReturn(deps, { token, browser: "browser" }),
    ]).toEqual([back, back]);
    expect(await findReturn(deps, { token, browser: "another" })).toEqual({ kind: "other browser" });
    expect(await findReturn(deps, { token: "unknown", browser: "browser" })).toEqual({ kind: "unknown" });
    clock.advance(HOUR_SECONDS);
    expect(await findReturn(deps, { token, browser: "browser" })).toEqual({ kind: "expired", clientId: "suite" });
  });

  it("does not lead back a user who was blocked meanwhile", async () => {
    const { deps, completed } = await waiting(dialect);
    const token = await completed();
    await blockUser(deps, "carla");
    expect(await findReturn(deps, { token, browser: "browser" })).toEqual({ kind: "unknown" });
  });
});
