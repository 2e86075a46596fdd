import {
  type AuditActors,
  type AuditFilter,
  listAuditEvents,
  listLastAuditEvents,
} from "#app/db/repositories/audit-events.server.ts";
import { findUser, findUserByUsername } from "#app/db/repositories/users.server.ts";
import type { AuditEvent } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { printable } from "#app/domain/base/printable.ts";
import { parseUsername } from "#app/domain/username/canonical.ts";

const PAGE_SIZE = 500;

/**
 * Filter of events. `user`: name, or id of a user who may have been removed; `actor`: name of the user with a role, or of
 * the operating-system user of commands; `since`: inclusive.
 */
export type AuditQuery = {
  user?: string | undefined;
  actor?: string | undefined;
  types?: readonly string[] | undefined;
  since?: Date | undefined;
};

/** Returns the last `limit` events, oldest first. Throws DomainError "user not found". */
export async function lastAuditEvents(
  { store }: { store: Store },
  query: AuditQuery,
  limit: number,
): Promise<AuditEvent[]> {
  return listLastAuditEvents(store, { ...(await toFilter(store, query)), limit });
}

/** Yields all events, oldest first, page by page. Throws DomainError "user not found". */
export async function* readAuditEvents({ store }: { store: Store }, query: AuditQuery): AsyncGenerator<AuditEvent[]> {
  const filter = await toFilter(store, query);
  let after = 0;
  let page: AuditEvent[];
  do {
    page = await listAuditEvents(store, { ...filter, after, limit: PAGE_SIZE });
    if (page.length > 0) yield page;
    after = page.at(-1)?.sequence ?? after;
  } while (page.length === PAGE_SIZE);
}

/** Returns the user names of the events' users by id, without removed users. */
export async function namesOf(
  { store }: { store: Store },
  events: readonly AuditEvent[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const id of new Set(events.flatMap(({ userId }) => userId ?? []))) {
    const user = await findUser(store, id);
    if (user) names.set(id, user.username);
  }
  return names;
}

async function toFilter(store: Store, { user, actor, types, since }: AuditQuery): Promise<AuditFilter> {
  return {
    ...(user === undefined ? {} : { userId: await idOf(store, user) }),
    ...(actor === undefined ? {} : { actors: await actorsOf(store, actor) }),
    ...(types === undefined ? {} : { types }),
    ...(since === undefined ? {} : { since }),
  };
}

/** Returns the user of this name who has done something for others; otherwise the name of a removed user or an operator. */
async function actorsOf(store: Store, name: string): Promise<AuditActors> {
  const parsed = parseUsername(name);
  const user = parsed.ok ? await findUserByUsername(store, parsed.canonical) : null;
  if (!user) return { name };
  const [event] = await listLastAuditEvents(store, { limit: 1, actors: { ids: [user.id] } });
  return event ? { ids: [user.id] } : { name };
}

/** Returns the id of a user name. Also accepts an id that occurs in an event, for users who were removed. */
async function idOf(store: Store, nameOrId: string): Promise<string> {
  const name = parseUsername(nameOrId);
  const user = name.ok ? await findUserByUsername(store, name.canonical) : null;
  if (user) return user.id;
  const [event] = await listAuditEvents(store, { after: 0, limit: 1, userId: nameOrId });
  if (!event) throw new DomainError("user not found", { detail: printable(nameOrId) });
  return nameOrId;
}
