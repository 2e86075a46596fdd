import type { Logger } from "pino";
import { replaceGroupsOfClient } from "#app/db/repositories/client-access.server.ts";
import { createClient } from "#app/db/repositories/clients.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import { getGroups } from "#app/domain/group/find.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import type { Clock, Random } from "#app/ports.ts";
import { describeAccess } from "./access.ts";
import { withKnownGroups } from "./groups.server.ts";
import { type NewClientInput, parseNewClient } from "./new-client.ts";

/** Dependencies of changing clients. */
export type ClientDeps = {
  store: Store;
  clock: Clock;
  random: Random;
  secrets: Pick<Secrets, "seal">;
  log: Logger;
};

/** Credentials of a new client. The secret is shown only once; null for a public client. */
export type ClientCredentials = { clientId: string; clientSecret: string | null };

/**
 * Registers a client. Throws DomainError "client is invalid", "redirect uri is invalid", "scope is unknown",
 * "group not found", or "client not available" if the id is taken.
 */
export async function addClient(context: ClientDeps, input: NewClientInput): Promise<ClientCredentials> {
  const { groups, ...parsed } = parseNewClient(input);
  const clientId = parsed.id ?? newId(context.random);
  const clientSecret = parsed.public ? null : context.random.token();
  const now = context.clock.now();
  const row = {
    ...parsed,
    id: clientId,
    authMethod: parsed.public ? ("none" as const) : (parsed.authMethod ?? ("client_secret_basic" as const)),
    sealedSecret: clientSecret === null ? null : await context.secrets.seal("client-secret", clientSecret),
    createdAt: now,
    updatedAt: now,
  };
  try {
    await withKnownGroups(groups, () =>
      context.store.tx(async (tx) => {
        await createClient(tx, row);
        const ids = (await getGroups(tx, groups)).map(({ id }) => id);
        await replaceGroupsOfClient(tx, clientId, ids);
        const reason = `open to ${describeAccess({ access: parsed.access, groups })}`;
        await recordEvent({ ...context, store: tx }, { type: "client.added", outcome: "ok", clientId, reason });
      }),
    );
  } catch (error) {
    if (context.store.isUnique(error)) throw new DomainError("client not available", { detail: clientId });
    throw error;
  }
  return { clientId, clientSecret };
}
