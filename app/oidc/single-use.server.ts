import { createHash } from "node:crypto";
import { errors, Provider } from "oidc-provider";
import { consumeCode, destroyGrant, findRecord, insertRecordOnce } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Clock } from "#app/ports.ts";

type AuthorizationCode = InstanceType<Provider["AuthorizationCode"]>;

/**
 * Makes single use hold for requests of the same moment, on all processes: a client assertion is noted by one conditional
 * insert (RFC 7523 section 3, `jti`); an exchange that loses the race for a code revokes its grant, as a later one does
 * (RFC 6749 section 4.1.2). A code dies with the session that it was issued in, also where its tokens would outlive the
 * session: the end of a session does not see a code that another transaction is storing. The grant stays then, because
 * the application may hold older tokens of it that outlive the session.
 */
export function keepSingleUse(provider: Provider, { store, clock }: { store: Store; clock: Clock }): void {
  provider.ReplayDetection.unique = (iss, jti, exp) => {
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

  provider.AuthorizationCode.prototype.consume = async function (this: AuthorizationCode): Promise<void> {
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
}

/** Destroys a grant with everything that rests on it, and reports it as the engine does. */
export async function revokeGrant(store: Store, provider: Provider, grantId: string | undefined): Promise<void> {
  if (grantId === undefined) return;
  await destroyGrant(store, grantId);
  if (Provider.ctx) provider.emit("grant.revoked", Provider.ctx, grantId);
}
