import { createHash } from "node:crypto";
import { errors, Provider } from "oidc-provider";
import { destroyGrant, insertRecordOnce } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";

type AuthorizationCode = InstanceType<Provider["AuthorizationCode"]>;

/**
 * Makes single use hold for requests of the same moment, on all processes: a client assertion is noted by one conditional
 * insert (RFC 7523 section 3, `jti`); an exchange that loses the race for a code revokes its grant, as a later one does
 * (RFC 6749 section 4.1.2).
 */
export function keepSingleUse(provider: Provider, { store }: { store: Store }): void {
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

  const model = provider.AuthorizationCode.prototype;
  const { consume } = model;
  model.consume = async function (this: AuthorizationCode): Promise<void> {
    try {
      await Reflect.apply(consume, this, []);
    } catch (error) {
      if (error instanceof errors.InvalidGrant) await revokeGrant(store, provider, this.grantId);
      throw error;
    }
  };
}

/** Destroys a grant with everything that rests on it, and reports it as the engine does. */
export async function revokeGrant(store: Store, provider: Provider, grantId: string | undefined): Promise<void> {
  if (grantId === undefined) return;
  await destroyGrant(store, grantId);
  if (Provider.ctx) provider.emit("grant.revoked", Provider.ctx, grantId);
}
