import type { Config } from "#app/config/config.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { DefaultFactor } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type Factors, findFactors } from "#app/domain/factor/factors.server.ts";
import type { PendingSignIn } from "#app/domain/pending-sign-in/pending.server.ts";
import { findRelyingParty } from "#app/domain/webauthn/relying-party.server.ts";

/** Data of the second-factor page. `keysWork` is false if the issuer's host cannot use security keys. */
export type PendingDescription = {
  username: string;
  displayName: string;
  factors: Factors;
  keysWork: boolean;
  /** The factor that the user wants to be asked for first. */
  defaultFactor: DefaultFactor | null;
};

/** Returns the user of a pending sign-in and the user's factors. */
export async function describePending(
  { store, config }: { store: Store; config: Pick<Config, "issuer"> },
  { userId }: PendingSignIn,
): Promise<PendingDescription> {
  const user = await findUser(store, userId);
  const keysWork = findRelyingParty(config.issuer) !== null;
  const { username = "", displayName = "", defaultFactor = null } = user ?? {};
  return { username, displayName, factors: await findFactors(store, userId), keysWork, defaultFactor };
}
