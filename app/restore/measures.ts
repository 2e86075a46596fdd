import type { History, UserChange, UserHistory } from "./changes-since.ts";

/** A user as the older database has it. `factors`: authenticator app and security keys. */
export type KnownUser = { id: string; username: string; factors: number; isBlocked: boolean };

/** Why somebody is blocked by a restore. */
export type BlockReason = Extract<UserChange, "blocked" | "removed" | "factor removed" | "factor added">;

/** What is done so that nothing is open that was closed since. */
export type Measures = {
  block: { id: string; username: string; why: BlockReason[] }[];
  /** Their old password is removed; a reset link or the administrator gives a new one. */
  clearPassword: { id: string; username: string }[];
  /** Codes that were used would be good again; all of theirs are removed. */
  clearRecoveryCodes: { id: string; username: string }[];
  /** Sign-ins of other providers that were disconnected. No names: all of them. */
  disconnect: { id: string; username: string; providers: string[] }[];
  removeClients: string[];
  /** Clients whose old secret would be good again. */
  clearSecrets: string[];
  /** What is gone, and nobody can bring back but by doing it again. */
  lost: {
    users: string[];
    clients: string[];
    changes: { id: string; username: string; what: LostChange[] }[];
    clientChanges: string[];
  };
};

/** What of an account is as it was then, and harms nobody. */
export type LostChange = Extract<UserChange, "factor added" | "provider connected" | "renamed" | "changed">;

/**
 * Decides what to do about what happened since: a user who was blocked stays blocked; one whose second factor was
 * removed, or who has none without the one that was added since, is blocked, because a factor is never skipped; one
 * whose password changed needs a new one. `known`: the users and clients of the older database that `history` names.
 */
export function measuresFor(
  history: History,
  known: { users: ReadonlyMap<string, KnownUser>; clients: ReadonlySet<string> },
): Measures {
  const measures = noMeasures();
  for (const [id, past] of history.users) {
    const user = known.users.get(id);
    if (user) addForUser(measures, user, past);
    else if (past.isNew && !past.changes.has("removed")) measures.lost.users.push(past.name ?? id);
  }
  for (const [id, change] of history.clients) {
    if (!known.clients.has(id)) {
      if (change !== "removed") measures.lost.clients.push(id);
    } else if (change === "removed") measures.removeClients.push(id);
    else if (change === "changed") measures.lost.clientChanges.push(id);
    else measures.clearSecrets.push(id);
  }
  return measures;
}

function noMeasures(): Measures {
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

function addForUser(measures: Measures, user: KnownUser, { changes, providers }: UserHistory): void {
  const { id, username } = user;
  const why = blockReasons(user, changes);
  if (why.length > 0) measures.block.push({ id, username, why });
  if (changes.has("password changed")) measures.clearPassword.push({ id, username });
  if (changes.has("recovery codes used")) measures.clearRecoveryCodes.push({ id, username });
  const what = LOST_CHANGES.filter(
    (change) => changes.has(change) && !(change === "factor added" && why.includes(change)),
  );
  if (what.length > 0) measures.lost.changes.push({ id, username, what });
  if (changes.has("provider disconnected")) measures.disconnect.push({ id, username, providers: [...providers] });
}

const LOST_CHANGES: readonly LostChange[] = ["factor added", "provider connected", "renamed", "changed"];

function blockReasons({ factors }: KnownUser, changes: ReadonlySet<UserChange>): BlockReason[] {
  const why: BlockReason[] = [];
  if (changes.has("blocked")) why.push("blocked");
  if (changes.has("removed")) why.push("removed");
  if (changes.has("factor removed")) why.push("factor removed");
  if (changes.has("factor added") && factors === 0) why.push("factor added");
  return why;
}
