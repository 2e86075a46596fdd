import { randomBytes } from "node:crypto";
import { CompactEncrypt, compactDecrypt } from "jose";
import { type Client, errors, Provider } from "oidc-provider";
import { consumeRefreshToken, findRecord } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { isSealedSecret, type Secrets } from "#app/domain/secret/secrets.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Clock, SealedSecret } from "#app/ports.ts";
import { revokeGrant } from "./single-use.server.ts";

/** Time after a rotation in which the old refresh token returns the same successor. */
const REFRESH_LEEWAY_SECONDS = 10;

/** Emitted by the provider when a refresh was repeated within the leeway. */
export const REFRESH_REPEATED = "refresh_token.repeated";

type RefreshToken = InstanceType<Provider["RefreshToken"]>;
type LeewayDeps = { store: Store; clock: Clock; secrets: Pick<Secrets, "mac"> };

/**
 * Allows a client to repeat a refresh: concurrent requests, and a retry after a lost response, get the same successor
 * and separate access tokens. The statement that consumes the old token stores its successor, sealed, so it is the same
 * in all processes. After the leeway, or once the successor was used, reuse revokes the family (RFC 9700 §4.14.2).
 */
export function allowRepeatedRefresh(provider: Provider, deps: LeewayDeps): void {
  const { store, clock } = deps;
  const { find, prototype } = provider.RefreshToken;
  const { save } = prototype;
  /** Successors of the tokens that this request has read. */
  const successors = new WeakMap<object, string>();

  async function mayRepeat(token: RefreshToken, value: string): Promise<boolean> {
    const successor = await findSuccessor(deps, token, value);
    if (successor !== null) successors.set(token, successor);
    return successor !== null;
  }

  Object.defineProperty(provider.RefreshToken, "find", {
    value: async (value: string, options?: object) => {
      const token: RefreshToken | undefined = await Reflect.apply(find, provider.RefreshToken, [value, options]);
      const isRefresh = Provider.ctx?.oidc.route === "token";
      // oidc-provider revokes the family of a consumed token.
      if (token?.consumed && isRefresh && (await mayRepeat(token, value))) Reflect.set(token, "consumed", undefined);
      return token;
    },
  });

  prototype.consume = async function (this: RefreshToken): Promise<void> {
    if (!successors.has(this)) {
      const successor = randomBytes(32).toString("base64url");
      const sealedSuccessor = await seal(deps, this.jti, successor);
      if (await consumeRefreshToken(store, hashToken(this.jti), { now: clock.now(), sealedSuccessor })) {
        successors.set(this, successor);
        this.emit("consumed");
        return;
      }
      if (!(await mayRepeat(this, this.jti))) {
        await revokeGrant(store, provider, this.grantId);
        throw new errors.InvalidGrant("refresh token already used");
      }
    }
    provider.emit(REFRESH_REPEATED, Provider.ctx);
  };

  prototype.save = async function (this: RefreshToken): Promise<string> {
    const rotated = Provider.ctx?.oidc.entities.RotatedRefreshToken;
    const successor = rotated && successors.get(rotated);
    if (successor !== undefined && !this.jti) this.jti = successor;
    return Reflect.apply(save, this, []);
  };
}

/** Finds the successor for a repeated refresh; null if repeating is not allowed. */
async function findSuccessor(deps: LeewayDeps, token: RefreshToken, value: string): Promise<string | null> {
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
function keyOf({ secrets }: Pick<LeewayDeps, "secrets">, token: string): Uint8Array {
  return Buffer.from(secrets.mac("refresh-successor", token), "base64url");
}

async function seal(deps: Pick<LeewayDeps, "secrets">, token: string, successor: string): Promise<SealedSecret> {
  const sealed = await new CompactEncrypt(new TextEncoder().encode(successor))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(keyOf(deps, token));
  if (!isSealedSecret(sealed)) throw new Error("encryption did not return a compact JWE");
  return sealed;
}

async function open(deps: Pick<LeewayDeps, "secrets">, token: string, sealed: SealedSecret): Promise<string | null> {
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
