import type { Config } from "#app/config/config.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { DefaultFactor } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { USER_PRESENCE } from "#app/domain/engine-session/subject.server.ts";
import { type Factors, findFactors, withPasskeys } from "#app/domain/factor/factors.server.ts";
import type { PendingSignIn } from "#app/domain/pending-sign-in/pending.server.ts";
import { findRelyingParty } from "#app/domain/webauthn/relying-party.server.ts";

/**
 * Data of the second-factor page. `factors`: those that this step accepts. `keysWork` is false if the issuer's host
 * cannot use security keys.
 */
export type PendingDescription = {
  username: string;
  displayName: string;
  factors: Factors;
  keysWork: boolean;
  /** The factor that the user wants to be asked for first. */
  defaultFactor: DefaultFactor | null;
};

/**
 * Returns true if this second step accepts the user's passkeys, as security keys. Not after a passkey without user
 * verification: the same device twice would still be one factor.
 */
export function acceptsPasskeys({ passkeys }: Pick<Config, "passkeys">, { amr }: Pick<PendingSignIn, "amr">): boolean {
  return passkeys && !amr.includes(USER_PRESENCE);
}

/** Returns the user of a pending sign-in and the user's factors. */
export async function describePending(
  { store, config }: { store: Store; config: Pick<Config, "issuer" | "passkeys"> },
  pending: PendingSignIn,
): Promise<PendingDescription> {
  const user = await findUser(store, pending.userId);
  const keysWork = findRelyingParty(config.issuer) !== null;
  const { username = "", displayName = "", defaultFactor = null } = user ?? {};
  const factors = withPasskeys(await findFactors(store, pending.userId), acceptsPasskeys(config, pending));
  return { username, displayName, factors, keysWork, defaultFactor };
}
