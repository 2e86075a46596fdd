import { removeConsent } from "#app/db/repositories/consents.server.ts";
import { lockGeneration } from "#app/db/repositories/user-generation.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import type { Done, SettingsAccess, Unauthorized } from "#app/domain/access/access.ts";
import { recordSettings } from "#app/domain/access/record.server.ts";
import { endAccessToClients } from "#app/domain/application-access/end-lost-access.server.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import type { RequestMetadata } from "#app/ports.ts";

/** Result of `withdrawConsent`. "consent not found": the user has no consent for this client. */
type Withdrawal = Done | Unauthorized | { kind: "consent not found" };

/**
 * Withdraws the user's consent for a client and removes the client's grants, codes and tokens of the user, offline
 * tokens included. Queues the back-channel logouts of the client.
 */
export async function withdrawConsent(
  context: AuditDeps,
  access: SettingsAccess,
  { clientId, ...metadata }: RequestMetadata & { clientId: string },
): Promise<Withdrawal> {
  const { userId, generation } = access;
  return context.store.tx<Withdrawal>(async (store) => {
    if (!(await lockGeneration(store, userId, generation))) return rollback({ kind: "unauthorized" });
    if (!(await removeConsent(store, userId, clientId))) return rollback({ kind: "consent not found" });
    await endAccessToClients({ ...context, store }, [{ userId, clientId }]);
    const event = { type: "consent.withdrawn", outcome: "ok", clientId } as const;
    await recordSettings({ ...context, store }, access, metadata, event);
    return { kind: "done" };
  });
}
