import type { History, UserChange, UserHistory } from "./changes-since.ts";

/** A user as stored in the backup. `factors`: number of authenticator apps and security keys. */
export type UserInBackup = { id: string; username: string; factors: number; isBlocked: boolean };

/** Reasons to block a user after a restore. */
export type BlockReason = Extract<UserChange, "blocked" | "removed" | "factor removed" | "factor added">;

/** Measures that keep a restore from undoing security-relevant changes. */
export type ReconciliationActions = {
  block: { id: string; username: string; why: BlockReason[] }[];
  /** Users whose old password is removed; a reset link or the administrator sets a new one. */
  clearPassword: { id: string; username: string }[];
  /** Users whose recovery codes are all removed, because used ones would be valid again. */
  clearRecoveryCodes: { id: string; username: string }[];
  /** Provider accounts that were disconnected since the backup. No names: all of them. */
  disconnect: { id: string; username: string; providers: string[] }[];
  removeClients: string[];
  /** Clients whose old secret would be valid again. */
  clearSecrets: string[];
  /** Changes that are lost and can only be repeated by hand. */
  lost: {
    users: string[];
    clients: string[];
    changes: { id: string; username: string; what: LostChange[] }[];
    clientChanges: string[];
  };
};

/** Changes that are lost without security impact. */
export type LostChange = Extract<UserChange, "factor added" | "provider connected" | "renamed" | "changed">;

/**
 * Derives the measures from the changes since the backup. A user who was blocked stays blocked. A user whose second
 * factor was removed, or whose only factor was added since, is blocked, because a factor is never skipped. A user whose
 * password changed must set a new one. `inBackup`: the users and clients of `history` that the backup contains.
 */
export function planActions(
  history: History,
  inBackup: { users: ReadonlyMap<string, UserInBackup>; clients: ReadonlySet<string> },
): ReconciliationActions {
  const actions = noActions();
  for (const [id, changesOfUser] of history.users) {
    const user = inBackup.users.get(id);
    if (user) addUserActions(actions, user, changesOfUser);
    else if (changesOfUser.isNew && !changesOfUser.changes.has("removed"))
      actions.lost.users.push(changesOfUser.name ?? id);
  }
  for (const [id, change] of history.clients) {
    if (!inBackup.clients.has(id)) {
      if (change !== "removed") actions.lost.clients.push(id);
    } else if (change === "removed") actions.removeClients.push(id);
    else if (change === "changed") actions.lost.clientChanges.push(id);
    else actions.clearSecrets.push(id);
  }
  return actions;
}

function noActions(): ReconciliationActions {
  return {
    block: [],
    clearPassword: [],
    clearRecoveryCodes: [],
    disconnect: [],
    removeClients: [],
    clearSecrets: [],
    lost: { users: [], clients: [], changes: [], clientChanges: [] },
  };
}

function addUserActions(actions: ReconciliationActions, user: UserInBackup, { changes, providers }: UserHistory): void {
  const { id, username } = user;
  const why = blockReasons(user, changes);
  if (why.length > 0) actions.block.push({ id, username, why });
  if (changes.has("password changed")) actions.clearPassword.push({ id, username });
  if (changes.has("recovery codes used")) actions.clearRecoveryCodes.push({ id, username });
  const what = LOST_CHANGES.filter(
    (change) => changes.has(change) && !(change === "factor added" && why.includes(change)),
  );
  if (what.length > 0) actions.lost.changes.push({ id, username, what });
  if (changes.has("provider disconnected")) actions.disconnect.push({ id, username, providers: [...providers] });
}

const LOST_CHANGES: readonly LostChange[] = ["factor added", "provider connected", "renamed", "changed"];

function blockReasons({ factors }: UserInBackup, changes: ReadonlySet<UserChange>): BlockReason[] {
  const why: BlockReason[] = [];
  if (changes.has("blocked")) why.push("blocked");
  if (changes.has("removed")) why.push("removed");
  if (changes.has("factor removed")) why.push("factor removed");
  if (changes.has("factor added") && factors === 0) why.push("factor added");
  return why;
}
