import { listStoredConsents, removeConsent } from "#app/db/repositories/consents.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { endAccessToClients } from "#app/domain/application-access/end-lost-access.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { getClient } from "#app/domain/client/show.server.ts";
import { getUserByName } from "#app/domain/user/get.server.ts";
import type { Clock } from "#app/ports.ts";
import { isRemembered } from "./remembered.server.ts";

/** The consents of one user, of one client, or of one user to one client. */
export type ConsentFilter = { username: string; clientId?: string } | { username?: string; clientId: string };

/** A consent, for administrators. `remembered`: the consent page is still skipped. */
export type ConsentView = {
  username: string;
  clientId: string;
  name: string;
  scopes: string[];
  since: Date;
  remembered: boolean;
};

/** Lists consents, newest first. Throws DomainError "user not found", "client not found". */
export async function listConsentViews(
  { store, clock }: { store: Store; clock: Clock },
  filter: ConsentFilter,
): Promise<ConsentView[]> {
  const now = clock.now();
  const found = await listStoredConsents(store, await idsOf(store, filter));
  return found.map(({ userId: _userId, grantedAt, ...consent }) => {
    return { ...consent, since: grantedAt, remembered: isRemembered({ grantedAt }, now) };
  });
}

/**
 * Withdraws consents and returns them. Each is removed with the client's grants, codes and tokens of the user, offline
 * tokens included, in one transaction with the audit event and the back-channel logout of the client.
 * Throws DomainError "user not found", "client not found", and "consent not found" if this user and client have none.
 */
export async function withdrawConsents(context: AuditDeps, filter: ConsentFilter): Promise<ConsentView[]> {
  const { store, clock } = context;
  const now = clock.now();
  const ids = await idsOf(store, filter);
  const withdrawn: ConsentView[] = [];
  for (const { userId, grantedAt, ...consent } of await listStoredConsents(store, ids)) {
    const { clientId, username } = consent;
    // One transaction each: a client can have thousands of consents, and SQLite has a single writer.
    const isRemoved = await store.tx(async (tx) => {
      if (!(await removeConsent(tx, userId, clientId))) return false;
      await endAccessToClients({ store: tx, clock }, [{ userId, clientId }]);
      const event = { type: "consent.withdrawn", outcome: "ok", userId, username, clientId, reason: "cli" } as const;
      await recordEvent({ ...context, store: tx }, event);
      return true;
    });
    if (isRemoved) withdrawn.push({ ...consent, since: grantedAt, remembered: isRemembered({ grantedAt }, now) });
  }
  const { userId, clientId } = ids;
  if (withdrawn.length === 0 && userId !== undefined && clientId !== undefined) {
    throw new DomainError("consent not found", { detail: clientId });
  }
  return withdrawn;
}

async function idsOf(store: Store, { username, clientId }: ConsentFilter) {
  const client = clientId === undefined ? {} : { clientId: (await getClient(store, clientId)).id };
  const user = username === undefined ? {} : { userId: (await getUserByName(store, username)).id };
  return { ...user, ...client };
}
