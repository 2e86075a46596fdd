import { z } from "zod";
import { type ClientUpdate, updateClient } from "#app/db/repositories/clients.server.ts";
import { removeRecordsOfClient } from "#app/db/repositories/oidc-records.server.ts";
import type { Client } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { type NewClientInput, newClientSchema, parseNewClient } from "./new-client.ts";
import { type ClientView, getClient, showClient } from "./show.server.ts";

/** Changes to a client: everything but `id` and `public`. Omitted fields are kept; lists are replaced. */
export type ClientChanges = Partial<Omit<NewClientInput, "id" | "public">>;

const storedSchema = z.object(newClientSchema.shape);

/**
 * Changes a client. Removes its codes, tokens and grants if it loses a scope or is no longer first-party.
 * Throws DomainError "client not found", "client is invalid", "redirect uri is invalid", "scope is unknown".
 */
export async function setClient(context: AuditDeps, clientId: string, changes: ClientChanges): Promise<ClientView> {
  await context.store.tx(async (tx) => {
    const before = await getClient(tx, clientId);
    const after = parseNewClient({ ...inputOf(before), ...changes });
    await updateClient(tx, clientId, pick(after, changes), context.clock.now());
    if (isNarrower(before, after)) await removeRecordsOfClient(tx, clientId);
    const reason = Object.keys(changes).join(", ");
    await recordEvent({ ...context, store: tx }, { type: "client.changed", outcome: "ok", clientId, reason });
  });
  return showClient(context, clientId);
}

/** Converts a stored client to the input of a new one; a public client has no `authMethod` there. */
function inputOf(client: Client): NewClientInput {
  const parsed = storedSchema.safeParse({ ...client, authMethod: client.public ? null : client.authMethod });
  if (parsed.success) return parsed.data;
  throw new DomainError("client is invalid", { detail: "the stored settings of the client are no longer valid" });
}

type Parsed = ReturnType<typeof parseNewClient>;

function pick({ id: _id, public: isPublic, authMethod, ...after }: Parsed, changes: ClientChanges): ClientUpdate {
  const method = isPublic ? ("none" as const) : (authMethod ?? ("client_secret_basic" as const));
  const all: ClientUpdate = { ...after, authMethod: method };
  return Object.fromEntries(Object.entries(all).filter(([field]) => field in changes));
}

function isNarrower(before: Client, after: Parsed): boolean {
  const loses = (list: readonly string[], kept: readonly string[]) => list.some((one) => !kept.includes(one));
  return loses(before.scopes, after.scopes) || (before.firstParty && !after.firstParty);
}
