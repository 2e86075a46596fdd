import type { Provider } from "#app/config/providers.ts";
import { listLastAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import { findExternalAccountsOfUser } from "#app/db/repositories/external-accounts.server.ts";
import { countFactors } from "#app/db/repositories/factors.server.ts";
import { listFurtherGroups } from "#app/db/repositories/group-members.server.ts";
import { findGroup, listGroups } from "#app/db/repositories/groups.server.ts";
import { isUnusedUser } from "#app/db/repositories/invited-users.server.ts";
import { findTotpCredential } from "#app/db/repositories/totp-credentials.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { listWebauthnCredentials } from "#app/db/repositories/webauthn-credentials.server.ts";
import type { AuditEvent, Group, User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { listOwnSessions, type OwnSession } from "#app/domain/session/list.server.ts";
import type { Clock } from "#app/ports.ts";

/** Groups of a person: the home group (`office`), and further groups by name. */
export type PersonGroups = { office: Group | null; further: readonly Group[] };

/** Returns the groups of a person. */
export async function findPersonGroups(
  { store }: { store: Store },
  user: Pick<User, "id" | "groupId">,
): Promise<PersonGroups> {
  const office = user.groupId === null ? null : await findGroup(store, user.groupId);
  return { office, further: (await listFurtherGroups(store, [user.id])).get(user.id) ?? [] };
}

/** Lists all groups, of which each can be an office or a further group, by name. */
export async function listAllGroups({ store }: { store: Store }): Promise<Group[]> {
  return listGroups(store);
}

/** Returns the name of a group; null for an unknown one. */
export async function findGroupName({ store }: { store: Store }, id: string): Promise<string | null> {
  return (await findGroup(store, id))?.name ?? null;
}

/** Returns the names of a person's groups, the home group first. */
export function groupNames({ office, further }: PersonGroups): string[] {
  return [...(office ? [office] : []), ...further].map(({ name }) => name);
}

/** Returns true for a person whose account was never used: the invitation can be sent again, or withdrawn. */
export async function isInvited({ store }: { store: Store }, userId: string): Promise<boolean> {
  return isUnusedUser(store, userId);
}

/** The sign-in methods of a person; null and empty lists: none. `codesLeft`: unused recovery codes. */
export type PersonMethods = {
  totp: { addedAt: Date; lastUsedAt: Date | null } | null;
  keys: readonly { id: string; name: string; isPasskey: boolean; addedAt: Date; lastUsedAt: Date | null }[];
  codesLeft: number;
  accounts: readonly { provider: Provider; name: string | null; linkedAt: Date }[];
};

/** Returns the sign-in methods of a person besides the password. */
export async function findPersonMethods({ store }: { store: Store }, userId: string): Promise<PersonMethods> {
  const totp = await findTotpCredential(store, userId);
  const keys = await listWebauthnCredentials(store, userId);
  const { recoveryCodesLeft: codesLeft } = await countFactors(store, userId);
  const accounts = await findExternalAccountsOfUser(store, userId);
  return {
    totp: totp && { addedAt: totp.createdAt, lastUsedAt: totp.lastUsedAt },
    keys: keys.map(({ id, name, isPasskey, createdAt, lastUsedAt }) => {
      return { id, name, isPasskey, addedAt: createdAt, lastUsedAt };
    }),
    codesLeft,
    accounts: accounts.map(({ provider, name, linkedAt }) => ({ provider, name, linkedAt })),
  };
}

/** Lists the live sessions of a person, the last used first. */
export async function listPersonSessions(
  context: { store: Store; clock: Clock },
  { id: userId, generation }: Pick<User, "id" | "generation">,
): Promise<OwnSession[]> {
  return listOwnSessions(context, { userId, generation, sessionUid: null });
}

/** An event about a person. `by`: name of the administrator or operator who caused it; null for the person. */
export type PersonEvent = { at: Date; type: string; by: string | null };

const HISTORY_LENGTH = 10;

/** Lists the last ten events about a person, the newest first. */
export async function listPersonEvents({ store }: { store: Store }, userId: string): Promise<PersonEvent[]> {
  const events = await listLastAuditEvents(store, { userId, limit: HISTORY_LENGTH });
  const names = new Map<string, string>();
  for (const id of new Set(events.flatMap(({ actorId }) => actorId ?? []))) {
    const actor = await findUser(store, id);
    if (actor) names.set(id, actor.displayName);
  }
  return events.toReversed().map((event) => ({ at: event.at, type: event.type, by: actorOf(event, names) }));
}

function actorOf({ actorId, detail }: AuditEvent, names: ReadonlyMap<string, string>): string | null {
  const name = (actorId !== null && names.get(actorId)) || detail.actor || detail.operator;
  return typeof name === "string" ? name : null;
}
