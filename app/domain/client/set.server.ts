import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Logo } from "#app/config/config.ts";
import { listGroupsOfClient, replaceGroupsOfClient } from "#app/db/repositories/client-access.server.ts";
import { findClientLogo, removeClientLogo, saveClientLogo } from "#app/db/repositories/client-logos.server.ts";
import { type ClientUpdate, updateClient } from "#app/db/repositories/clients.server.ts";
import { removeSettingsOfClient } from "#app/db/repositories/manage-generation.server.ts";
import { removeRecordsOfClient } from "#app/db/repositories/oidc-records.server.ts";
import type { Client } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { endLostAccess } from "#app/domain/application-access/end-lost-access.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { printable } from "#app/domain/base/printable.ts";
import { getGroups } from "#app/domain/group/find.server.ts";
import { describeAccess } from "./access.ts";
import { withKnownGroups } from "./groups.server.ts";
import { type NewClientInput, newClientSchema, parseNewClient } from "./new-client.ts";
import { type ClientView, showClient } from "./show.server.ts";

/** The fields of a client that a change sets; lists are replaced. */
type FieldChanges = Partial<Omit<NewClientInput, "id" | "public" | "groups">>;

/**
 * Changes to a client: everything but `id` and `public`. Omitted fields are kept. `allowGroups` opens the client to
 * further groups, and closes it for all other users if it was open to everyone; `disallowGroups` closes it for groups.
 * A client without a group is closed for all users. `logo` null: removed.
 */
export type ClientChanges = FieldChanges & {
  allowGroups?: readonly string[];
  disallowGroups?: readonly string[];
  logo?: Logo | null;
};

/**
 * A client after a change. `lostAccess`: the number of users who had used it and may not use it any more. `isChanged`: false
 * if all values were stored already.
 */
export type ChangedClient = ClientView & { lostAccess: number; isChanged: boolean };

/**
 * Changes a client; values that are stored already are no change, and not recorded. Removes its codes, tokens and grants
 * if it loses a scope or is no longer first-party, and those of users who may not use it any more, with back-channel
 * logouts. Tokens of the settings API are removed with them, and if the client may not open the settings any more.
 * Throws DomainError "client not found", "client is invalid", "redirect uri is invalid", "scope is unknown",
 * "group not found".
 */
export async function setClient(context: AuditDeps, clientId: string, changes: ClientChanges): Promise<ChangedClient> {
  const changed = await withKnownGroups(changes.allowGroups ?? [], () =>
    context.store.tx(async (store) => {
      const after = await changeClient({ ...context, store }, clientId, changes);
      // The lock of the row has set the time of its last change.
      return after.isChanged ? after : rollback(after);
    }),
  );
  return changed.isChanged ? changed : { ...changed, ...(await showClient(context, clientId)) };
}

/** Returns the result of `setClient` without changing the client. Throws the same errors. */
export async function previewClientChanges(
  context: AuditDeps,
  clientId: string,
  changes: ClientChanges,
): Promise<ChangedClient> {
  return context.store.tx(async (store) => rollback(await changeClient({ ...context, store }, clientId, changes)));
}

/** Changes a client like `setClient`, in the transaction of the store. */
export async function changeClient(
  context: AuditDeps,
  clientId: string,
  { allowGroups = [], disallowGroups = [], logo, ...fields }: ClientChanges,
): Promise<ChangedClient> {
  const { store, clock } = context;
  const now = clock.now();
  const before = await lockClient(store, clientId, now);
  const former = { access: before.access, groups: await namesOf(store, clientId) };
  const allowed = await storedNames(store, allowGroups);
  const disallowed = await storedNames(store, disallowGroups);
  const changed: FieldChanges = allowGroups.length > 0 ? { access: "groups", ...fields } : fields;
  const after = parseNewClient({
    ...inputOf(before),
    ...changed,
    groups: groupsAfter(former.groups, { changed, allowed, disallowed }),
  });
  await updateClient(store, clientId, pick(after, changed), now);
  if (disallowed.length > 0) requireGroupAccess(after.access);
  const groupIds = (await getGroups(store, after.groups)).map(({ id }) => id);
  await replaceGroupsOfClient(store, clientId, groupIds);
  const isNewLogo = logo !== undefined && (await setLogo(store, clientId, logo));
  const lost = await endLostAccess(context, { clientId });
  const narrower = isNarrower(before, after);
  if (narrower) await removeRecordsOfClient(store, clientId);
  if (narrower || (before.mayOpenSettings && !after.mayOpenSettings)) await removeSettingsOfClient(store, clientId);
  const names = [...changedFields(before, pick(after, fields)), ...(isNewLogo ? ["logo"] : [])];
  const reason = describeChanges(names, former, after) || "unchanged";
  const isChanged = reason !== "unchanged" || lost.length > 0;
  if (isChanged) await recordEvent(context, { type: "client.changed", outcome: "ok", clientId, reason });
  return { ...(await showClient({ store }, clientId)), lostAccess: lost.length, isChanged };
}

/** Returns the client and locks its row, so that simultaneous changes of its groups add up. */
async function lockClient(store: Store, clientId: string, now: Date): Promise<Client> {
  const client = await updateClient(store, clientId, {}, now);
  if (!client) throw new DomainError("client not found", { detail: printable(clientId) });
  return client;
}

async function namesOf(store: Store, clientId: string): Promise<string[]> {
  return (await listGroupsOfClient(store, clientId)).map(({ name }) => name);
}

/** Returns the names of these groups as they are stored. Throws DomainError "group not found". */
async function storedNames(store: Store, names: readonly string[]): Promise<string[]> {
  return (await getGroups(store, names)).map(({ name }) => name);
}

type GroupChanges = { changed: FieldChanges; allowed: readonly string[]; disallowed: readonly string[] };

/** Opening a client to everyone removes its groups; a group that is allowed and disallowed is not allowed. */
function groupsAfter(before: readonly string[], { changed, allowed, disallowed }: GroupChanges): string[] {
  const kept = changed.access === "everyone" ? [] : before;
  return [...kept, ...allowed].filter((name) => !disallowed.includes(name));
}

/** Rejects the removal of a group from a client that stays open to everyone, which would lose nothing. */
function requireGroupAccess(access: Client["access"]): void {
  if (access === "groups") return;
  throw new DomainError("client is invalid", { detail: "disallowGroups: the client is open to everyone" });
}

/** Stores or removes the logo. Returns false if it was stored or missing already. */
async function setLogo(store: Store, clientId: string, logo: Logo | null): Promise<boolean> {
  const before = await findClientLogo(store, clientId);
  if (logo === null) await removeClientLogo(store, clientId);
  else await saveClientLogo(store, clientId, { mediaType: logo.type, hash: logo.hash, content: logo.content });
  return before?.hash !== logo?.hash;
}

/** Converts a stored client to the input of a new one; a public client has no `authMethod` there. */
function inputOf(client: Client): NewClientInput {
  const parsed = storedSchema.safeParse({ ...client, authMethod: client.public ? null : client.authMethod });
  if (parsed.success) return parsed.data;
  throw new DomainError("client is invalid", { detail: "the stored settings of the client are no longer valid" });
}

const storedSchema = z.object(newClientSchema.shape);

type Parsed = ReturnType<typeof parseNewClient>;

function pick({ id: _id, groups: _groups, public: isPublic, authMethod, ...after }: Parsed, changes: FieldChanges) {
  const method = isPublic ? ("none" as const) : (authMethod ?? ("client_secret_basic" as const));
  const all: ClientUpdate = { ...after, authMethod: method };
  return Object.fromEntries(Object.entries(all).filter(([field]) => field in changes));
}

function isNarrower(before: Client, after: Parsed): boolean {
  const loses = (list: readonly string[], kept: readonly string[]) => list.some((one) => !kept.includes(one));
  return loses(before.scopes, after.scopes) || (before.firstParty && !after.firstParty);
}

/** Returns the given fields whose stored value was another one. Access, which is described in words, is none. */
function changedFields(before: Client, fields: ClientUpdate): string[] {
  const stored = new Map(Object.entries(before));
  return Object.entries(fields).flatMap(([field, value]) =>
    field === "access" || isDeepStrictEqual(stored.get(field), value) ? [] : [field],
  );
}

/** Lists the changed fields for the audit event, and to whom the client was and is open if that was changed. */
function describeChanges(
  names: readonly string[],
  former: Parameters<typeof describeAccess>[0],
  after: Parsed,
): string {
  const [before, now] = [describeAccess(former), describeAccess(after)];
  return [...names, ...(before === now ? [] : [`access: ${before} -> ${now}`])].join(", ");
}
