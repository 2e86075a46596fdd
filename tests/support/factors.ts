import { hash } from "@node-rs/argon2";
import { generate } from "otplib";
import type { BaseContext } from "#app/context.server.ts";
import { createTotpCredential } from "#app/db/repositories/totp-credentials.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { createRecoveryCodes } from "#app/domain/recovery-code/create.server.ts";
import { newSecret } from "#app/domain/totp/set-up.server.ts";
import { NEVER_USED } from "#app/domain/totp/verify.server.ts";
import { addKey, type KeyKind, verifyRegistration } from "#app/domain/webauthn/registration.server.ts";
import { findRelyingParty } from "#app/domain/webauthn/relying-party.server.ts";
import { readRegistration } from "#app/domain/webauthn/responses.server.ts";
import { type Algorithm, createAuthenticator, type RegistrationTampering } from "./authenticator.ts";
import type { TestServer, TestUser } from "./server.ts";

/** Default names of the first security keys. */
export const FIRST_KEY_NAMES = { key: "Security key", phone: "Phone", passkey: "Passkey" };

/** An authenticator app. `code` returns the current code, or that of `stepsLater` steps of 30 s (negative: earlier). */
export type TestApp = { secretBase32: string; code(stepsLater?: number): Promise<string> };

type Server = { context: BaseContext; clock: Pick<TestServer["clock"], "now"> };

/** Registers an authenticator app for the user. */
export async function giveTotp({ context, clock }: Server, { id: userId }: Pick<TestUser, "id">): Promise<TestApp> {
  const secretBase32 = newSecret(context.random);
  await createTotpCredential(context.store, {
    userId,
    sealedSecret: await context.secrets.seal("totp", secretBase32),
    lastStep: NEVER_USED,
    createdAt: clock.now(),
  });
  return testApp(clock, secretBase32);
}

/** Creates an app with this secret and the server's clock. */
export function testApp(clock: Pick<TestServer["clock"], "now">, secretBase32: string): TestApp {
  return {
    secretBase32,
    code: (stepsLater = 0) =>
      generate({ secret: secretBase32, epoch: Math.floor(clock.now().getTime() / 1000) + stepsLater * 30 }),
  };
}

/** Least cost of argon2id. A set of ten codes at the usual cost takes an eighth of a second. */
const QUICK = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/**
 * Creates recovery codes for the user; a check has the low cost of their hashes. Throws if the user has no other
 * factor.
 */
export async function giveRecoveryCodes(
  { context }: Pick<Server, "context">,
  { id: userId }: Pick<TestUser, "id">,
): Promise<string[]> {
  const hasher = { ...context.hasher, hash: (code: string) => hash(code, QUICK) };
  const { generation = 0 } = (await findUser(context.store, userId)) ?? {};
  const made = await createRecoveryCodes({ ...context, hasher }, { userId, generation });
  if (made.kind !== "made") throw new Error("a user without a factor gets no recovery codes");
  return made.codes;
}

/** A software security key in a browser. */
export type TestKey = ReturnType<typeof createAuthenticator>;

/** Creates an unregistered security key for this server's origin. */
export function newKey({ url: origin }: Pick<TestServer, "url">, algorithm: Algorithm = -7): TestKey {
  return createAuthenticator({ origin, algorithm });
}

/** Registers a security key for the user. */
export async function giveKey(server: KeyServer, user: KeyUser, key: TestKey = newKey(server)): Promise<TestKey> {
  return registerKey(server, user, { key, kind: "security key" });
}

type KeyServer = { context: BaseContext; url: string };
type KeyUser = Pick<TestUser, "id">;

/** Registers a passkey for the user: with user verification and, unless `bend` differs, on several devices. */
export async function givePasskey(
  server: KeyServer,
  user: KeyUser,
  { key = newKey(server), bend = {} }: { key?: TestKey; bend?: RegistrationTampering } = {},
): Promise<TestKey> {
  return registerKey(server, user, { key, kind: "passkey", bend: { ...PASSKEY, ...bend } });
}

/** The flags and the attestation of a passkey that is kept in a password manager. */
export const PASSKEY = { format: "none", uv: true, be: true, bs: true, transports: ["internal"] } as const;

type RegisteredKey = { key: TestKey; kind: KeyKind; bend?: RegistrationTampering };

async function registerKey(
  { context }: KeyServer,
  { id: userId }: KeyUser,
  { key, kind, bend }: RegisteredKey,
): Promise<TestKey> {
  const relyingParty = findRelyingParty(context.config.issuer);
  const expectedChallenge = context.random.token();
  const options = { relyingPartyId: relyingParty?.id ?? "", challenge: expectedChallenge };
  const response = readRegistration(JSON.stringify(key.register(options, bend)));
  const registered = relyingParty && response && { response, expectedChallenge, relyingParty, kind };
  const verified = registered && (await verifyRegistration(registered));
  const added = verified && (await addKey(context, { userId, key: verified, firstNames: FIRST_KEY_NAMES }));
  if (!added) throw new Error("this key cannot be registered");
  return key;
}
