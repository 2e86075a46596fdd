import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from "jose";
import { z } from "zod";
import { incrementKeysGeneration } from "#app/db/repositories/instance.server.ts";
import { insertSigningKey, listSigningKeys } from "#app/db/repositories/signing-keys.server.ts";
import type { SigningKey } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import type { Clock } from "#app/ports.ts";

/** Algorithms for ID tokens. RS256, the default of OpenID Connect clients, is first. */
export const SIGNING_ALGS = ["RS256", "ES256"] as const;
/** Algorithm of a signing key (RFC 7518 §3.1). */
export type SigningAlg = (typeof SIGNING_ALGS)[number];

/** Dependencies for creating keys. */
export type KeyDeps = { store: Store; clock: Clock; secrets: Pick<Secrets, "seal"> };

const privateJwk = z.looseObject({ kty: z.string(), kid: z.string() });

/**
 * Creates missing signing keys: per algorithm a current one and a next one, published ahead, because clients cache the
 * key set.
 */
export async function ensureSigningKeys(context: KeyDeps): Promise<void> {
  if (missingKeys(await listSigningKeys(context.store)).length === 0) return;
  const newKeys = await Promise.all(missingKeys([]).map((missing) => makeSigningKey(context, missing)));
  await context.store.tx(async (tx) => {
    // This write makes a concurrent process wait here; it then finds the keys that exist.
    await incrementKeysGeneration(tx);
    for (const missing of missingKeys(await listSigningKeys(tx))) {
      const key = newKeys.find((newKey) => newKey.alg === missing.alg && newKey.state === missing.state);
      if (key) await insertSigningKey(tx, key);
    }
  });
}

/** Algorithm and state of a key to create. */
type KeyToCreate = { alg: SigningAlg; state: "current" | "next" };

function missingKeys(keys: readonly SigningKey[]): KeyToCreate[] {
  const wanted = SIGNING_ALGS.flatMap((alg): KeyToCreate[] => [
    { alg, state: "current" },
    { alg, state: "next" },
  ]);
  return wanted.filter((missing) => !keys.some((key) => key.alg === missing.alg && key.state === missing.state));
}

/** Creates a key with sealed private part, without storing it. RSA key generation is slow. */
export async function makeSigningKey({ clock, secrets }: KeyDeps, { alg, state }: KeyToCreate): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  const sealedJwk = await secrets.seal("signing-key", JSON.stringify({ ...jwk, kid, alg, use: "sig" }));
  const now = clock.now();
  return { kid, alg, state, sealedJwk, createdAt: now, activatedAt: state === "current" ? now : null, retiredAt: null };
}

/** Returns true if each algorithm has a current key. */
export async function hasSigningKeys({ store }: { store: Store }): Promise<boolean> {
  const keys = await listSigningKeys(store);
  return SIGNING_ALGS.every((alg) => keys.some((key) => key.alg === alg && key.state === "current"));
}

/** Returns for how many seconds each algorithm's current key has been signing. */
export async function signingKeyAges({ store, clock }: { store: Store; clock: Clock }): Promise<KeyAge[]> {
  const now = clock.now().getTime();
  const keys = await listSigningKeys(store);
  return keys
    .filter(({ state }) => state === "current")
    .map(({ alg, activatedAt, createdAt }) => ({ alg, seconds: (now - (activatedAt ?? createdAt).getTime()) / 1000 }));
}

/** Age of a current key. */
type KeyAge = { alg: string; seconds: number };

/** Returns the private keys, current ones first: oidc-provider signs with the first that matches. */
export async function loadSigningKeys(context: { store: Store; secrets: Pick<Secrets, "open"> }): Promise<JWK[]> {
  const rank = { current: 0, next: 1, retired: 2 } as const;
  const keys = await listSigningKeys(context.store);
  keys.sort((one, other) => rank[one.state] - rank[other.state]);
  return Promise.all(
    keys.map(async (key) => privateJwk.parse(JSON.parse(await context.secrets.open("signing-key", key.sealedJwk)))),
  );
}
