import { createHash } from "node:crypto";
import { errors, Provider } from "oidc-provider";
import { consumeCode, destroyGrant, findRecord, insertRecordOnce } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Replace } from "./patch.server.ts";

type AuthorizationCode = InstanceType<Provider["AuthorizationCode"]>;

/** `ReplayDetection.unique`: records a client assertion by one conditional insert (RFC 7523 §3, `jti`). */
export const recordAssertionOnce: Replace =
  (_original, { store }) =>
  async (iss: string, jti: string, exp: number): Promise<boolean> => {
    const id = createHash("sha256")
      .update(JSON.stringify([iss, jti]))
      .digest("base64url");
    return insertRecordOnce(store, {
      model: "ReplayDetection",
      id,
      payload: { iss, exp },
      expiresAt: new Date(exp * 1000),
    });
  };

/**
 * `AuthorizationCode.consume`: an exchange that loses the race for a code revokes the grant, as a later reuse does (RFC
 * 6749 §4.1.2). A code is valid only while the session it was issued in is live; this is checked here because the end
 * of a session does not see a code that another transaction is storing. The grant is kept then, because older tokens of
 * it may outlive the session. A code is also valid only while the client has the redirect URI that it was sent to.
 */
export const consumeCodeOnce: Replace = (_original, { provider, store, clock }) =>
  async function (this: AuthorizationCode): Promise<void> {
    // oidc-provider compares the redirect URI with that of the authorization request only.
    if (Provider.ctx?.oidc.client?.redirectUriAllowed(this.redirectUri ?? "") === false) {
      throw new errors.InvalidGrant("the redirect URI of the authorization code was removed from the client");
    }
    const id = hashToken(this.jti);
    if (await consumeCode(store, id, { now: clock.now(), sessionUid: this.sessionUid ?? "" })) {
      this.emit("consumed");
      return;
    }
    const code = await findRecord(store, "AuthorizationCode", id);
    if (code?.consumedAt === null) throw new errors.InvalidGrant("the session of the authorization code has ended");
    await revokeGrant(store, provider, this.grantId);
    throw new errors.InvalidGrant("authorization code already consumed");
  };

/** Destroys a grant with its tokens and emits "grant.revoked". */
export async function revokeGrant(store: Store, provider: Provider, grantId: string | undefined): Promise<void> {
  if (grantId === undefined) return;
  await destroyGrant(store, grantId);
  if (Provider.ctx) provider.emit("grant.revoked", Provider.ctx, grantId);
}
