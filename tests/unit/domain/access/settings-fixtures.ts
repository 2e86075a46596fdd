import { saveRecord } from "#app/db/repositories/oidc-records.server.ts";
import { issueOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import type { NewUser, OneTimeTokenKind, User } from "#app/db/schema.server.ts";
import type { SettingsAccess } from "#app/domain/access/access.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { type Dialect, withStore } from "#tests/support/databases.ts";
import { type Installation, installation, putUser, random } from "#tests/unit/domain/fixtures.ts";

export const METADATA = { browser: "browser-of-anna", address: "192.0.2.1", userAgent: "Browser", requestId: "r-1" };

/** Anna's password; `quickHasher` stores it in plain text. */
export const PASSWORD = "Ledger-Window-27-Oak";
export const OTHER_PASSWORD = "Harbour-Candle-31-Elm";

/** Creates an installation where Anna has just signed in and opened the settings. */
export async function openedSettings(dialect: Dialect, fields: Partial<NewUser> = {}) {
  const deps = installation(await withStore(dialect));
  const user = await putUser(deps.store, {
    username: "anna",
    email: "anna@office.example",
    passwordHash: `plain:${PASSWORD}`,
    passwordSetAt: new Date("2026-01-01T00:00:00.000Z"),
    ...fields,
  });
  return { parts: deps, user, store: deps.store, access: await openSettings(deps, user) };
}

let opened = 0;

/** Starts another session of the user with open settings: a page session and its token chain. */
export async function openSettings({ store, clock }: Installation, user: User): Promise<SettingsAccess> {
  opened += 1;
  const sessionUid = `session-${opened}`;
  await putSession({ store, clock }, user, sessionUid);
  const pageSessionHash = hashToken(`page-${opened}`);
  const { id: userId, generation } = user;
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + 30 * 60_000);
  const fields = { userId, generation, sessionUid, authTime: now, createdAt: now, lastUsedAt: now, expiresAt };
  await store.q
    .insert(store.t.manageSessions)
    .values({ tokenHash: pageSessionHash, browserHash: hashToken("browser"), ...fields });
  await store.q
    .insert(store.t.manageChains)
    .values({ id: chainOf(pageSessionHash), pageSessionHash, counter: 0, ...fields });
  return {
    ...{ userId, generation, authTime: now, sessionUid, clientId: "suite", returnToUrl: null },
    holder: { kind: "page", pageSessionHash },
  };
}

/** Returns the id of the token chain of this page session. */
function chainOf(pageSessionHash: string): string {
  return `chain of ${pageSessionHash}`;
}

/** Stores an engine session with one grant and an access token. */
export async function putSession(
  { store, clock }: Pick<Installation, "store" | "clock">,
  { id: accountId, generation }: User,
  uid: string,
): Promise<void> {
  const loginTs = Math.floor(clock.now().getTime() / 1000);
  const expiresAt = new Date(clock.now().getTime() + 2 * 60 * 60_000);
  const grantId = `grant of ${uid}`;
  const authorizations = { suite: { grantId, sid: `sid of ${uid}` } };
  const payload = {
    uid,
    accountId,
    generation,
    loginTs,
    amr: ["pwd"],
    acr: "urn:gatehouse:acr:password",
    authorizations,
  };
  await saveRecord(store, { model: "Session", id: `cookie of ${uid}`, uid, accountId, payload, expiresAt });
  const fields = { accountId, clientId: "suite", expiresAt, payload: {} };
  await saveRecord(store, { model: "Grant", id: grantId, ...fields });
  for (const model of ["AccessToken", "RefreshToken"])
    await saveRecord(store, { model, id: `${model} of ${uid}`, grantId, ...fields });
}

export async function putToken({ store, clock }: Installation, user: User, kind: OneTimeTokenKind): Promise<void> {
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + 60_000);
  const { id: userId, generation } = user;
  const fields = { userId, generation, payload: {}, createdAt, expiresAt };
  await issueOneTimeToken(store, { kind, slot: null, tokenHash: hashToken(random.token()), ...fields });
}
