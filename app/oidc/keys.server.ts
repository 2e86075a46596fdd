import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from "jose";
import { z } from "zod";
import { bumpKeysGeneration } from "#app/db/repositories/instance.server.ts";
import { insertSigningKey, listSigningKeys } from "#app/db/repositories/signing-keys.server.ts";
import type { SigningKey } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import type { Clock } from "#app/ports.ts";

/** The algorithms that sign ID tokens: RS256 unless a client asks for ES256. The first one is what clients expect unasked. */
export const SIGNING_ALGS = ["RS256", "ES256"] as const;
export type SigningAlg = (typeof SIGNING_ALGS)[number];

/** What making keys touches. */
export type KeyDeps = { store: Store; clock: Clock; secrets: Pick<Secrets, "seal"> };

const privateJwk = z.looseObject({ kty: z.string(), kid: z.string() });

/**
 * Makes the signing keys that are missing: for each algorithm one in use and one published ahead, so that a rotation
 * never surprises an application that caches the key set.
 */
export async function ensureSigningKeys(context: KeyDeps): Promise<void> {
  if (missingKeys(await listSigningKeys(context.store)).length === 0) return;
  const spare = await Promise.all(missingKeys([]).map((want) => makeSigningKey(context, want)));
  await context.store.tx(async (tx) => {
    // Writing the generation first makes a second process wait here, and then find the keys of the first.
    await bumpKeysGeneration(tx);
    for (const want of missingKeys(await listSigningKeys(tx))) {
      const key = spare.find((made) => made.alg === want.alg && made.state === want.state);
      if (key) await insertSigningKey(tx, key);
    }
  });
}

/** What a key is made for. */
export type Want = { alg: SigningAlg; state: "current" | "next" };

function missingKeys(keys: readonly SigningKey[]): Want[] {
  const wanted = SIGNING_ALGS.flatMap((alg): Want[] => [
    { alg, state: "current" },
    { alg, state: "next" },
  ]);
  return wanted.filter((want) => !keys.some((key) => key.alg === want.alg && key.state === want.state));
}

/** A new key, its private part sealed; nothing is stored. An RSA key takes a good part of a second. */
export async function makeSigningKey({ clock, secrets }: KeyDeps, { alg, state }: Want): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  const sealedJwk = await secrets.seal("signing-key", JSON.stringify({ ...jwk, kid, alg, use: "sig" }));
  const now = clock.now();
  return { kid, alg, state, sealedJwk, createdAt: now, activatedAt: state === "current" ? now : null, retiredAt: null };
}

/** Whether each algorithm has a key in use: without one no token can be signed. */
export async function hasSigningKeys({ store }: { store: Store }): Promise<boolean> {
  const keys = await listSigningKeys(store);
  return SIGNING_ALGS.every((alg) => keys.some((key) => key.alg === alg && key.state === "current"));
}

/** For each algorithm, for how many seconds its key has been signing. */
export async function signingKeyAges({ store, clock }: { store: Store; clock: Clock }): Promise<KeyAge[]> {
  const now = clock.now().getTime();
  const keys = await listSigningKeys(store);
  return keys
    .filter(({ state }) => state === "current")
    .map(({ alg, activatedAt, createdAt }) => ({ alg, seconds: (now - (activatedAt ?? createdAt).getTime()) / 1000 }));
}

/** How long a key has been in use. */
export type KeyAge = { alg: string; seconds: number };

/** The private keys for the engine, the ones in use first: it signs with the first that fits. */
export async function loadSigningKeys(context: { store: Store; secrets: Pick<Secrets, "open"> }): Promise<JWK[]> {
  const rank = { current: 0, next: 1, retired: 2 } as const;
  const keys = await listSigningKeys(context.store);
  keys.sort((one, other) => rank[one.state] - rank[other.state]);
  return Promise.all(
    keys.map(async (key) => privateJwk.parse(JSON.parse(await context.secrets.open("signing-key", key.sealedJwk)))),
  );
}
