import { findClientNames } from "#app/db/repositories/clients.server.ts";
import { listConsents } from "#app/db/repositories/consents.server.ts";
import { listGrantedClients } from "#app/db/repositories/engine-access.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SettingsAccess } from "#app/domain/access/access.ts";
import type { Clock } from "#app/ports.ts";
import { isRemembered } from "./remembered.server.ts";

/** A client that the user has given consent to. `scopes`: scope ids; `since`: time of the last consent. */
type OwnConsent = { clientId: string; name: string; scopes: string[]; since: Date };

/** Lists the user's consents that are still remembered, or whose client still has a grant. */
export async function listOwnConsents(
  { store, clock }: { store: Store; clock: Clock },
  { userId }: SettingsAccess,
): Promise<OwnConsent[]> {
  const now = clock.now();
  const consents = await listConsents(store, userId);
  const granted = await listGrantedClients(store, { userId, now });
  const active = consents.filter((consent) => isRemembered(consent, now) || granted.has(consent.clientId));
  const names = await findClientNames(
    store,
    active.map(({ clientId }) => clientId),
  );
  return active.map(({ clientId, scopes, grantedAt }) => {
    return { clientId, name: names.get(clientId) ?? clientId, scopes, since: grantedAt };
  });
}
