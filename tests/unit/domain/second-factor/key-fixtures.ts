import {
  addWebauthnCredential,
  listWebauthnCredentials,
  type NewWebauthnCredential,
} from "#app/db/repositories/webauthn-credentials.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { beginSecondFactor, openSecondFactor } from "#app/domain/pending-sign-in/pending.server.ts";
import { type KeyDeps, startKeyCheck, verifyKey } from "#app/domain/second-factor/verify-key.server.ts";
import { verifyRegistration } from "#app/domain/webauthn/registration.server.ts";
import { readRegistration } from "#app/domain/webauthn/responses.server.ts";
import {
  type AssertionTampering,
  createAuthenticator,
  type RegistrationTampering,
} from "#tests/support/authenticator.ts";
import { type Dialect, withStore } from "#tests/support/databases.ts";
import { fixedClock, mailConfig, putUser, random, recordingLog, secrets } from "#tests/unit/domain/fixtures.ts";

export const ORIGIN = "https://login.office.example";
export const METADATA = { browser: "browser-of-anna", address: "192.0.2.1", userAgent: "Browser", requestId: "r-1" };

/** Creates a database with the user Anna, and the dependencies of the security-key functions. */
export async function withAnna(dialect: Dialect, issuer = ORIGIN) {
  const store = await withStore(dialect);
  const { log, lines } = recordingLog();
  const clock = fixedClock();
  const anna = await putUser(store, { username: "anna" });
  return {
    context: { store, clock, random, secrets, log, config: { ...mailConfig, issuer, passkeys: true } },
    anna,
    lines,
    clock,
    store,
  };
}

type Deps = Awaited<ReturnType<typeof withAnna>>["context"];

/** Returns the mfa_token of a sign-in after the password; each `uid` is a separate sign-in. */
export async function pendingToken(
  context: Deps,
  user: { id: string; generation: number },
  { uid = "uid-1", browser = METADATA.browser } = {},
): Promise<string> {
  const { id: userId, generation } = user;
  const provenAt = Math.floor(context.clock.now().getTime() / 1000);
  const start = { uid, browser, userId, generation, amr: ["pwd"], provenAt, clientId: "suite" };
  await beginSecondFactor(context, start);
  const opened = await openSecondFactor(context, { uid, browser });
  if (!opened) throw new Error("the sign-in does not wait");
  return opened.mfaToken;
}

/** Registers a security key for this user in the database. */
export async function keyOf(
  store: Store,
  userId: string,
  { bend = {}, ...row }: { bend?: RegistrationTampering } & Partial<NewWebauthnCredential> = {},
) {
  const key = createAuthenticator({ origin: ORIGIN });
  const ceremony = { relyingPartyId: "login.office.example", challenge: "Y2hhbGxlbmdl" };
  const stored = await verifyRegistration({
    response: readRegistration(JSON.stringify(key.register(ceremony, bend))) ?? failed(),
    expectedChallenge: ceremony.challenge,
    relyingParty: { id: ceremony.relyingPartyId, origin: ORIGIN },
  });
  const fields = { userId, name: "Security key", createdAt: new Date(0) };
  await addWebauthnCredential(store, { ...(stored ?? failed()), ...fields, ...row });
  return key;
}

function failed(): never {
  throw new Error("the registration was refused");
}

/** Starts a security-key check. */
export async function startCheck(context: KeyDeps, mfaToken: string) {
  const started = await startKeyCheck(context, { mfaToken, browser: METADATA.browser });
  if (started.kind !== "started") throw new Error(started.kind);
  return started;
}

/** Starts a check, lets the key sign, and returns the result. */
export async function checkKey(
  context: KeyDeps,
  mfaToken: string,
  key: Awaited<ReturnType<typeof keyOf>>,
  bend: AssertionTampering = {},
) {
  const assertion = key.assert(await startCheck(context, mfaToken), bend);
  return verifyKey(context, { mfaToken, assertion, ...METADATA });
}

/** Uses the key in a new sign-in with this `uid`. */
export async function signInWith(
  uid: string,
  { context, anna }: Pick<Awaited<ReturnType<typeof withAnna>>, "context" | "anna">,
  key: Awaited<ReturnType<typeof keyOf>>,
  bend: AssertionTampering,
) {
  return checkKey(context, await pendingToken(context, anna, { uid }), key, bend);
}

/** Returns the user's first security key. */
export async function onlyKey(store: Store, userId: string) {
  const [key] = await listWebauthnCredentials(store, userId);
  return key;
}
