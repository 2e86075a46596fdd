import type { AuditEvent } from "#app/db/schema.server.ts";

/** The fields of an audit event that are used here. */
export type LoggedEvent = Pick<AuditEvent, "type" | "userId" | "clientId" | "outcome" | "detail">;

/** Kinds of changes to a user since the backup. */
export type UserChange =
  | "blocked"
  | "password changed"
  | "factor added"
  | "factor removed"
  | "recovery codes used"
  | "provider disconnected"
  | "provider connected"
  | "renamed"
  | "changed"
  | "removed";

/** Changes to a user since the backup. `providers`: those that were disconnected. */
export type UserHistory = { changes: Set<UserChange>; providers: Set<string>; name: string | null; isNew: boolean };

/** Last change to a client since the backup. */
export type ClientChange = "added" | "changed" | "secret rotated" | "removed";

/** All changes since the backup. */
export type History = {
  users: Map<string, UserHistory>;
  clients: Map<string, ClientChange>;
  /** `detail.reason` of each change to a group. */
  groups: string[];
  keysChanged: boolean;
  events: number;
};

/** Returns a history without events. */
export function emptyHistory(): History {
  return { users: new Map(), clients: new Map(), groups: [], keysChanged: false, events: 0 };
}

/** Adds the next event to the history. Refused and failed events are only counted. */
export function addToHistory(history: History, event: LoggedEvent): void {
  history.events += 1;
  if (event.outcome !== "ok") return;
  if (event.userId !== null) addToUser(userOf(history, event.userId), event);
  if (event.clientId !== null) addToClient(history, event.clientId, event);
  const { reason } = event.detail;
  if (event.type === "group.changed" && typeof reason === "string") history.groups.push(reason);
  if (event.type === "key.activated" || event.type === "key.retired") history.keysChanged = true;
}

const USER_CHANGES: Readonly<Record<string, UserChange>> = {
  "user.blocked": "blocked",
  "user.removed": "removed",
  "user.password-set": "password changed",
  "password.changed": "password changed",
  "password-reset.done": "password changed",
  "factor.added": "factor added",
  "factor.removed": "factor removed",
  "factor-reset.done": "factor removed",
  "recovery-code.used": "recovery codes used",
  "recovery-codes.made": "recovery codes used",
  "provider.disconnected": "provider disconnected",
  "provider.connected": "provider connected",
  "username.changed": "renamed",
  "user.changed": "changed",
};

const NEW_USER = ["user.added", "user.imported", "registration.completed"];

function userOf({ users }: History, userId: string): UserHistory {
  const user = users.get(userId) ?? { changes: new Set(), providers: new Set(), name: null, isNew: false };
  users.set(userId, user);
  return user;
}

function addToUser(user: UserHistory, { type, detail }: LoggedEvent): void {
  if (typeof detail["username"] === "string") user.name = detail["username"];
  if (NEW_USER.includes(type)) user.isNew = true;
  // The administrator has checked the account before unblocking it, so the state in the backup stands.
  if (type === "user.unblocked") user.changes.delete("blocked");
  const change = USER_CHANGES[type];
  if (change === undefined) return;
  user.changes.add(change);
  if (change === "provider disconnected" && typeof detail["reason"] === "string") user.providers.add(detail["reason"]);
}

function addToClient({ clients }: History, clientId: string, { type }: LoggedEvent): void {
  if (type === "client.changed" && !clients.has(clientId)) clients.set(clientId, "changed");
  if (type === "client.removed") clients.set(clientId, "removed");
  if (type === "client.secret-rotated") clients.set(clientId, "secret rotated");
  if (type !== "client.added") return;
  // Added again after its removal: the backup contains the former client with its former secret.
  clients.set(clientId, clients.get(clientId) === "removed" ? "secret rotated" : "added");
}
