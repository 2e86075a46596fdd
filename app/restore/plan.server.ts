import { readAuditFile } from "#app/db/files/audit-file.server.ts";
import { findAuditHash, findLastAuditEvent } from "#app/db/repositories/audit-events.server.ts";
import { findClientIds, findUsersWithFactors } from "#app/db/repositories/restore.server.ts";
import type { AuditEvent } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { planActions, type ReconciliationActions } from "./actions.ts";
import { addToHistory, emptyHistory, type History } from "./changes-since.ts";
import type { AffectedRecords } from "./report.ts";

/** Changes since the backup and the measures to take. `snapshotAt`: time of the last event in the database. */
export type ReconciliationPlan = { history: History; actions: ReconciliationActions; snapshotAt: Date | null };

/**
 * Reads the changes since the last event of the database from the audit file beside `file`, and derives the measures.
 * Changes nothing. After earlier restores the file contains events of several histories; all that follow the database's
 * last event count.
 */
export async function planReconciliation(store: Store, file: string): Promise<ReconciliationPlan> {
  const last = await findLastAuditEvent(store);
  const history = await readHistory(store, file, last);
  const users = await findUsersWithFactors(store, [...history.users.keys()]);
  const clients = await findClientIds(store, [...history.clients.keys()]);
  const inBackup = { users: new Map(users.map((user) => [user.id, user])), clients: new Set(clients) };
  return { history, actions: planActions(history, inBackup), snapshotAt: last?.at ?? null };
}

/** Converts the plan to the form of the report. */
export function affectedBy({ history, actions, snapshotAt }: ReconciliationPlan): AffectedRecords {
  return {
    snapshotAt,
    events: history.events,
    blocked: actions.block,
    mustSetPassword: actions.clearPassword,
    needRecoveryCodes: actions.clearRecoveryCodes,
    disconnected: actions.disconnect,
    clientsRemoved: actions.removeClients,
    clientsWithoutSecret: actions.clearSecrets,
    lostUsers: actions.lost.users,
    lostClients: actions.lost.clients,
    lostChanges: actions.lost.changes,
    changedClients: actions.lost.clientChanges,
    groups: history.groups,
    keysChanged: history.keysChanged,
  };
}

async function readHistory(store: Store, file: string, last: AuditEvent | null): Promise<History> {
  const isLogged = last !== null && (await containsEvent(file, last.hash));
  const history = emptyHistory();
  // The server and a command may both have written the same event.
  const seen = new Set<string>();
  // If the file does not contain that event (the file was recreated), the times are compared.
  let isSince = last === null;
  for await (const event of readAuditFile(file)) {
    const isLater = isLogged ? isSince : isSince || (last !== null && event.at > last.at);
    if (isLater && !seen.has(event.hash) && !(await isInDatabase(store, event, last))) {
      seen.add(event.hash);
      addToHistory(history, event);
    }
    if (event.hash === last?.hash) isSince = true;
  }
  return history;
}

async function containsEvent(file: string, hash: string): Promise<boolean> {
  for await (const event of readAuditFile(file)) if (event.hash === hash) return true;
  return false;
}

/** Returns true if the database has the event: two processes may have written their lines in another order. */
async function isInDatabase(store: Store, { sequence, hash }: AuditEvent, last: AuditEvent | null): Promise<boolean> {
  if (last === null || sequence > last.sequence) return false;
  return (await findAuditHash(store, sequence)) === hash;
}
