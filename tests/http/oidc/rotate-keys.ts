import { eq, inArray } from "drizzle-orm";
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import type { AppContext } from "#app/context.server.ts";
import { bumpKeysGeneration } from "#app/db/repositories/instance.server.ts";
import { insertSigningKey, listSigningKeys } from "#app/db/repositories/signing-keys.server.ts";
import { SIGNING_ALGS } from "#app/oidc/keys.server.ts";

/**
 * What a rotation leaves in the database: the key in use retires, the one that was published ahead takes its place, and
 * a new one is published ahead. As another process would do it: the running server is not told.
 */
export async function rotateKeys({ store, secrets, clock }: AppContext): Promise<void> {
  const fresh = await Promise.all(SIGNING_ALGS.map(async (alg) => ({ alg, jwk: await makeJwk(alg) })));
  await store.tx(async (tx) => {
    await bumpKeysGeneration(tx);
    const { signingKeys } = tx.t;
    const before = await listSigningKeys(tx);
    const kidsThatAre = (state: string) => before.filter((key) => key.state === state).map(({ kid }) => kid);
    const now = clock.now();
    await tx.q
      .update(signingKeys)
      .set({ state: "retired", retiredAt: now })
      .where(inArray(signingKeys.kid, kidsThatAre("current")));
    for (const kid of kidsThatAre("next")) {
      await tx.q.update(signingKeys).set({ state: "current", activatedAt: now }).where(eq(signingKeys.kid, kid));
    }
    for (const { alg, jwk } of fresh) {
      const sealedJwk = await secrets.seal("signing-key", JSON.stringify(jwk));
      await insertSigningKey(tx, { kid: jwk.kid, alg, state: "next", sealedJwk, createdAt: now });
    }
  });
}

async function makeJwk(alg: string) {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg, use: "sig" };
}
