import { randomBytes } from "node:crypto";
import { CompactEncrypt, compactDecrypt } from "jose";
import { type Client, errors, Provider } from "oidc-provider";
import { consumeRefreshToken, findRecord } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { isSealedSecret, type Secrets } from "#app/domain/secret/secrets.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Clock, SealedSecret } from "#app/ports.ts";
import { revokeGrant } from "./single-use.server.ts";

/** So long after its rotation a refresh token may be sent again, and gets the same successor. */
export const REFRESH_LEEWAY_SECONDS = 10;

/** Emitted by the provider when a refresh was repeated within the leeway. */
export const REFRESH_REPEATED = "refresh_token.repeated";

type RefreshToken = InstanceType<Provider["RefreshToken"]>;
type LeewayDeps = { store: Store; clock: Clock; secrets: Pick<Secrets, "mac"> };

/**
 * Lets a client repeat a refresh: requests that it sends at the same moment, or again after a lost response, get the same
 * successor, and an access token of their own. The successor is chosen and kept, sealed, by the one statement that
 * consumes the old token, so it is the same for all requests on all processes. Later, or once the successor was used,
 * the old token counts as stolen: its family is revoked (RFC 9700 section 4.14.2).
 */
export function allowRepeatedRefresh(provider: Provider, deps: LeewayDeps): void {
  const { store, clock } = deps;
  const { find, prototype } = provider.RefreshToken;
  const { save } = prototype;
  /** Of a token that this request has read: the one that takes its place. */
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
      // The engine revokes the family of a consumed token that reaches its checks.
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

/** The successor that a repeated refresh gets; null where repeating is not allowed (any more). */
async function findSuccessor(deps: LeewayDeps, token: RefreshToken, value: string): Promise<string | null> {
  const client = Provider.ctx?.oidc.client;
  if (!client || client.clientId !== token.clientId || !hasLeeway(client)) return null;
  const row = await findRecord(deps.store, "RefreshToken", hashToken(value));
  if (!row?.consumedAt || !row.sealedSuccessor) return null;
  const ageMs = deps.clock.now().getTime() - row.consumedAt.getTime();
  if (ageMs > REFRESH_LEEWAY_SECONDS * 1000) return null;
  const successor = await open(deps, value, row.sealedSuccessor);
  if (successor === null) return null;
  // One that is not stored yet is being stored by the request that consumed the old token; this one may be faster.
  const next = await findRecord(deps.store, "RefreshToken", hashToken(successor));
  return next?.consumedAt ? null : successor;
}

/** A client that proves who it is; a public one only when an administrator registered it so. */
function hasLeeway(client: Client): boolean {
  return client.clientAuthMethod !== "none" || client.refresh_leeway === true;
}

/**
 * The key is made of SECRET_KEYS and of the old token, of which the database holds a hash: a copy of the database together
 * with SECRET_KEYS opens no successor. So re-encryption can leave these out, and after a change of SECRET_KEYS there is
 * no leeway for tokens rotated before.
 */
function keyOf({ secrets }: Pick<LeewayDeps, "secrets">, token: string): Uint8Array {
  return Buffer.from(secrets.mac("refresh-successor", token), "base64url");
}

async function seal(deps: Pick<LeewayDeps, "secrets">, token: string, successor: string): Promise<SealedSecret> {
  const sealed = await new CompactEncrypt(new TextEncoder().encode(successor))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(keyOf(deps, token));
  if (!isSealedSecret(sealed)) throw new Error("sealing made something else than a compact JWE");
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
