import { readEvents } from "#app/db/files/audit-file.server.ts";
import { findAuditHash, findLastAuditEvent } from "#app/db/repositories/audit-events.server.ts";
import { findClientIds, findUsersWithFactors } from "#app/db/repositories/restore.server.ts";
import type { AuditEvent } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { EventDefinition, RestoreEffect, UserChange } from "#app/domain/audit/event-definition.ts";
import { findAuditEvent } from "#app/domain/audit/events.ts";
import { type AuditSource, containsEvent } from "./audit-source.server.ts";
import { findRecentlyChanged } from "./recent-changes.server.ts";
import type { AffectedRecords } from "./report.ts";

/** The part of the changes since the backup that is known: see the report. */
type Knowledge = Pick<
  AffectedRecords,
  "isComplete" | "events" | "knownUntil" | "recentlyChanged" | "moreRecentlyChanged"
>;

/** Changes since the backup and the resulting actions. `snapshotAt`: time of the last event in the database. */
export type ReconciliationPlan = {
  history: History;
  knowledge: Knowledge;
  actions: ReconciliationActions;
  snapshotAt: Date | null;
};

/**
 * Reads the changes since the last event of the database from the audit file, and derives the actions. Changes nothing.
 * After earlier restores the file contains events of several histories; all that follow the database's last event count.
 */
export async function planReconciliation(store: Store, source: AuditSource): Promise<ReconciliationPlan> {
  const last = await findLastAuditEvent(store);
  const isLogged = last !== null && (await containsEvent(source.path, last.hash));
  const history = await readHistory(store, source.path, { last, isLogged });
  const users = await findUsersWithFactors(store, [...history.users.keys()]);
  const clients = await findClientIds(store, [...history.clients.keys()]);
  const inBackup = { users: new Map(users.map((user) => [user.id, user])), clients: new Set(clients) };
  const isComplete = source.isComplete && (isLogged || last === null) && !history.hasUncheckedGap;
  const knowledge = await knowledgeOf(store, { history, last, isComplete });
  return { history, knowledge, actions: planActions(history, inBackup), snapshotAt: last?.at ?? null };
}

async function knowledgeOf(
  store: Store,
  { history, last, isComplete }: { history: History; last: AuditEvent | null; isComplete: boolean },
): Promise<Knowledge> {
  const { events, lastAt } = history;
  if (isComplete) return { isComplete, events, knownUntil: null, recentlyChanged: [], moreRecentlyChanged: 0 };
  const known = events === 0 ? { events: null, knownUntil: last?.at ?? null } : { events, knownUntil: lastAt };
  return { isComplete, ...known, ...(await findRecentlyChanged(store, last)) };
}

/** Converts the plan to the form of the report. */
export function affectedBy({ history, knowledge, actions, snapshotAt }: ReconciliationPlan): AffectedRecords {
  return {
    snapshotAt,
    ...knowledge,
    blocked: actions.block,
    mustSetPassword: actions.clearPassword,
    needRecoveryCodes: actions.clearRecoveryCodes,
    disconnected: actions.disconnect,
    leftGroups: actions.leaveGroups.map(({ groups, ...user }) => ({ ...user, groups: groups.map(({ name }) => name) })),
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

/** `isLogged`: the audit file contains the last event of the database. */
async function readHistory(
  store: Store,
  path: string,
  { last, isLogged }: { last: AuditEvent | null; isLogged: boolean },
): Promise<History> {
  const history = emptyHistory();
  // The server and a command may both have written the same event.
  const seen = new Set<string>();
  // If the file does not contain that event (the file was recreated), the times are compared.
  let isSince = last === null;
  for await (const event of readEvents(path)) {
    const isLater = isLogged ? isSince : isSince || (last !== null && event.at > last.at);
    if (isLater && !seen.has(event.hash) && !(await isInDatabase(store, event, last))) {
      seen.add(event.hash);
      addToHistory(history, event);
      history.lastAt = event.at;
    }
    if (event.hash === last?.hash) isSince = true;
  }
  return history;
}

/** Returns true if the database has the event: two processes may have written their lines in another order. */
async function isInDatabase(store: Store, { sequence, hash }: AuditEvent, last: AuditEvent | null): Promise<boolean> {
  if (last === null || sequence > last.sequence) return false;
  return (await findAuditHash(store, sequence)) === hash;
}

/** The fields of an audit event that count as changes. */
export type LoggedEvent = Pick<AuditEvent, "type" | "userId" | "clientId" | "outcome" | "detail">;

/**
 * Changes to a user since the backup. `providers`: those that were disconnected; `groups`: by their ids;
 * `hasLostPasskey`: a passkey was removed, or all factors were; `reservedName`: the user name, if the removal of the user
 * reserved it.
 */
type UserHistory = {
  changes: Set<UserChange>;
  hasLostPasskey: boolean;
  providers: Set<string>;
  groups: Map<string, MembershipHistory>;
  name: string | null;
  isNew: boolean;
  reservedName: string | null;
};

/** A membership of a further group: in the backup, and at last. `name` is that of the group. */
type MembershipHistory = { name: string; wasMember: boolean; isMember: boolean };

/** Last change to a client since the backup. */
type ClientChange = Extract<RestoreEffect, { client: unknown }>["client"];

/** All changes since the backup. */
type History = {
  users: Map<string, UserHistory>;
  clients: Map<string, ClientChange>;
  /** `detail.reason` of each change to a group. */
  groups: string[];
  keysChanged: boolean;
  /** True after a restore whose unknown changes no administrator has checked. */
  hasUncheckedGap: boolean;
  events: number;
  /** Time of the last event; null without one. */
  lastAt: Date | null;
};

/** Returns a history without events. */
export function emptyHistory(): History {
  return {
    users: new Map(),
    clients: new Map(),
    groups: [],
    keysChanged: false,
    hasUncheckedGap: false,
    events: 0,
    lastAt: null,
  };
}

/** Adds the next event to the history. Refused and failed events are only counted. */
export function addToHistory(history: History, event: LoggedEvent): void {
  history.events += 1;
  if (event.outcome !== "ok") return;
  const definition: EventDefinition | null = findAuditEvent(event.type);
  const effect = definition?.restore ?? null;
  if (event.userId !== null) addToUser(userOf(history, event.userId), event, effect);
  if (event.clientId !== null) addToClient(history, event.clientId, effect);
  const { reason } = event.detail;
  if (effect === "group changed" && typeof reason === "string") history.groups.push(reason);
  if (effect === "keys changed") history.keysChanged = true;
  if (event.type === "database.restored" && event.detail["isComplete"] === false) history.hasUncheckedGap = true;
  if (event.type === "restore.checked") history.hasUncheckedGap = false;
}

function userOf({ users }: History, userId: string): UserHistory {
  const known = users.get(userId);
  if (known) return known;
  const user = {
    changes: new Set<UserChange>(),
    hasLostPasskey: false,
    providers: new Set<string>(),
    groups: new Map(),
    name: null,
    isNew: false,
    reservedName: null,
  };
  users.set(userId, user);
  return user;
}

function addToUser(user: UserHistory, { detail }: LoggedEvent, effect: RestoreEffect | null): void {
  if (typeof detail["username"] === "string") user.name = detail["username"];
  if (effect === null || typeof effect === "string" || !("user" in effect)) return;
  switch (effect.user) {
    case "added":
      user.isNew = true;
      return;
    case "unblocked":
      // The administrator has checked the account before unblocking it, so the state in the backup stands.
      user.changes.delete("blocked");
      return;
    case "joined group":
    case "left group":
      addMembership(user, detail, effect.user === "joined group");
      return;
    case "removed":
      // A withdrawn invitation, whose event has a reason, reserves nothing.
      if (detail["reason"] === undefined) user.reservedName = user.name;
      break;
    case "provider disconnected":
      if (typeof detail["reason"] === "string") user.providers.add(detail["reason"]);
      break;
    case "factor removed":
      // The event of a reset of all factors has no reason.
      if (detail["reason"] === undefined || detail["reason"] === "passkey") user.hasLostPasskey = true;
  }
  user.changes.add(effect.user);
}

function addMembership({ groups }: UserHistory, { groupId, reason }: LoggedEvent["detail"], isMember: boolean): void {
  if (typeof groupId !== "string") return;
  const wasMember = groups.get(groupId)?.wasMember ?? !isMember;
  groups.set(groupId, { name: typeof reason === "string" ? reason : groupId, wasMember, isMember });
}

function addToClient({ clients }: History, clientId: string, effect: RestoreEffect | null): void {
  if (effect === null || typeof effect === "string" || !("client" in effect)) return;
  const before = clients.get(clientId);
  if (effect.client === "changed" && before !== undefined) return;
  // Added again after its removal: the backup contains the former client with its former secret.
  const isReplaced = effect.client === "added" && before === "removed";
  clients.set(clientId, isReplaced ? "secret rotated" : effect.client);
}

/** A user as stored in the backup. `factors`: number of authenticator apps and security keys. */
export type UserInBackup = { id: string; username: string; factors: number; isBlocked: boolean };

/**
 * The consequence of each change to a user in a restore: it blocks the user, reports the change as lost, or has an action
 * of its own (`addUserActions`). The only factor of a user, added since, blocks too.
 */
const CONSEQUENCES = {
  blocked: "block",
  removed: "block",
  "factor removed": "block",
  "e-mail change undone": "block",
  "factor added": "lost",
  "provider connected": "lost",
  renamed: "lost",
  changed: "lost",
  "joined group": "lost",
  "role granted": "lost",
  // The role of the backup would be valid again.
  "role revoked": "block",
  "left group": "action",
  "password changed": "action",
  "recovery codes used": "action",
  "provider disconnected": "action",
} as const satisfies Record<UserChange, "block" | "lost" | "action">;

/** Changes with this consequence. */
type ChangeWith<Consequence> = {
  [Change in UserChange]: (typeof CONSEQUENCES)[Change] extends Consequence ? Change : never;
}[UserChange];

/** Reasons to block a user after a restore. */
export type BlockReason = ChangeWith<"block"> | "factor added";

/** Actions that keep a restore from undoing security-relevant changes. */
export type ReconciliationActions = {
  block: { id: string; username: string; why: BlockReason[] }[];
  /** Users whose old password is removed; a reset link or the administrator sets a new one. */
  clearPassword: { id: string; username: string }[];
  /** Users whose recovery codes are all removed, because used ones would be valid again. */
  clearRecoveryCodes: { id: string; username: string }[];
  /**
   * Users whose passkeys are all removed, because removed ones would sign in again once the user is unblocked. The audit
   * file does not name the removed passkey.
   */
  removePasskeys: { id: string; username: string }[];
  /** Provider accounts that were disconnected since the backup. No names: all of them. */
  disconnect: { id: string; username: string; providers: string[] }[];
  /** Memberships of further groups that ended since the backup. */
  leaveGroups: { id: string; username: string; groups: { id: string; name: string }[] }[];
  /** Users who came after the backup and were removed: their names stay reserved. */
  reserveNames: { id: string; username: string }[];
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
export type LostChange = ChangeWith<"lost">;

/**
 * Derives the actions from the changes since the backup. A user who was blocked stays blocked. A user whose second
 * factor was removed, or whose only factor was added since, is blocked, because a factor is never skipped. A user whose
 * password changed must set a new one. A user whose new e-mail address was undone is blocked, because the backup may
 * contain that address, which a stranger can have stored. `inBackup`: the users and clients of `history` that the
 * backup contains.
 */
export function planActions(
  history: History,
  inBackup: { users: ReadonlyMap<string, UserInBackup>; clients: ReadonlySet<string> },
): ReconciliationActions {
  const actions = noActions();
  for (const [id, changesOfUser] of history.users) {
    const user = inBackup.users.get(id);
    const { reservedName } = changesOfUser;
    if (user) addUserActions(actions, user, changesOfUser);
    else if (reservedName !== null) actions.reserveNames.push({ id, username: reservedName });
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
    removePasskeys: [],
    disconnect: [],
    leaveGroups: [],
    reserveNames: [],
    removeClients: [],
    clearSecrets: [],
    lost: { users: [], clients: [], changes: [], clientChanges: [] },
  };
}

function addUserActions(
  actions: ReconciliationActions,
  user: UserInBackup,
  { changes: recorded, hasLostPasskey, providers, groups }: UserHistory,
): void {
  const { id, username } = user;
  const memberships = [...groups].map(([groupId, membership]) => ({ id: groupId, ...membership }));
  const left = memberships.filter(({ wasMember, isMember }) => wasMember && !isMember);
  if (left.length > 0) {
    actions.leaveGroups.push({ id, username, groups: left.map(({ id: groupId, name }) => ({ id: groupId, name })) });
  }
  const hasJoined = memberships.some(({ wasMember, isMember }) => !wasMember && isMember);
  const changes = new Set([...recorded, ...(hasJoined ? (["joined group"] as const) : [])]);
  const why = blockReasons(user, changes);
  if (why.length > 0) actions.block.push({ id, username, why });
  if (changes.has("password changed")) actions.clearPassword.push({ id, username });
  if (changes.has("recovery codes used")) actions.clearRecoveryCodes.push({ id, username });
  if (hasLostPasskey) actions.removePasskeys.push({ id, username });
  const what = [...changes].filter(isLost).filter((change) => !(change === "factor added" && why.includes(change)));
  if (what.length > 0) actions.lost.changes.push({ id, username, what });
  if (changes.has("provider disconnected")) actions.disconnect.push({ id, username, providers: [...providers] });
}

function isLost(change: UserChange): change is LostChange {
  return CONSEQUENCES[change] === "lost";
}

function blockReasons({ factors }: UserInBackup, changes: ReadonlySet<UserChange>): BlockReason[] {
  return [...changes].filter(
    (change): change is BlockReason => CONSEQUENCES[change] === "block" || (change === "factor added" && factors === 0),
  );
}
