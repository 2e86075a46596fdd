import { randomBytes } from "node:crypto";
import { CompactEncrypt, compactDecrypt } from "jose";
import { type Client, Provider } from "oidc-provider";
import { findRecord } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { isSealedSecret, type Secrets } from "#app/domain/secret/secrets.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Clock, SealedSecret } from "#app/ports.ts";

/** Time after a rotation in which the old refresh token returns the same successor. */
const REFRESH_LEEWAY_SECONDS = 10;

/** Emitted by the provider when a refresh was repeated within the leeway. */
export const REFRESH_REPEATED = "refresh_token.repeated";

/** Dependencies of successors. */
export type SuccessorDeps = { store: Store; clock: Clock; secrets: Pick<Secrets, "mac"> };

/**
 * Creates the successor of a refresh token. A client may repeat a refresh: concurrent requests, and a retry after a lost
 * response, get the same successor and separate access tokens. The statement that consumes the old token stores its
 * successor, sealed, so it is the same in all processes. After the leeway, or once the successor was used, reuse revokes
 * the family (RFC 9700 §4.14.2).
 */
export async function createSuccessor(
  deps: Pick<SuccessorDeps, "secrets">,
  token: string,
): Promise<{ successor: string; sealedSuccessor: SealedSecret }> {
  const successor = randomBytes(32).toString("base64url");
  return { successor, sealedSuccessor: await seal(deps, token, successor) };
}

/** Finds the successor for a repeated refresh; null if repeating is not allowed. */
export async function findSuccessor(
  deps: SuccessorDeps,
  token: { clientId?: string | undefined },
  value: string,
): Promise<string | null> {
  const client = Provider.ctx?.oidc.client;
  if (!client || client.clientId !== token.clientId || !hasLeeway(client)) return null;
  const row = await findRecord(deps.store, "RefreshToken", hashToken(value));
  if (!row?.consumedAt || !row.sealedSuccessor) return null;
  const ageMs = deps.clock.now().getTime() - row.consumedAt.getTime();
  if (ageMs > REFRESH_LEEWAY_SECONDS * 1000) return null;
  const successor = await open(deps, value, row.sealedSuccessor);
  if (successor === null) return null;
  // A successor without a record is being stored by the request that consumed the old token.
  const next = await findRecord(deps.store, "RefreshToken", hashToken(successor));
  return next?.consumedAt ? null : successor;
}

/** Returns true for confidential clients, and for public ones that an administrator registered so. */
function hasLeeway(client: Client): boolean {
  return client.clientAuthMethod !== "none" || client.refresh_leeway === true;
}

/**
 * Derives the key from SECRET_KEYS and the old token, of which the database holds only a hash: a copy of the database
 * and SECRET_KEYS are not enough to open a successor. Re-encryption skips successors; after a change of SECRET_KEYS,
 * tokens rotated before have no leeway.
 */
function keyOf({ secrets }: Pick<SuccessorDeps, "secrets">, token: string): Uint8Array {
  return Buffer.from(secrets.mac("refresh-successor", token), "base64url");
}

async function seal(deps: Pick<SuccessorDeps, "secrets">, token: string, successor: string): Promise<SealedSecret> {
  const sealed = await new CompactEncrypt(new TextEncoder().encode(successor))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(keyOf(deps, token));
  if (!isSealedSecret(sealed)) throw new Error("encryption did not return a compact JWE");
  return sealed;
}

async function open(deps: Pick<SuccessorDeps, "secrets">, token: string, sealed: SealedSecret): Promise<string | null> {
  try {
    const { plaintext } = await compactDecrypt(sealed, keyOf(deps, token), {
      keyManagementAlgorithms: ["dir"],
      contentEncryptionAlgorithms: ["A256GCM"],
    });
    return new TextDecoder().decode(plaintext);
  } catch {
    return null;
  }
}
