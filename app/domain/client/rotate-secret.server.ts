import { updateClientSecret } from "#app/db/repositories/clients.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import type { ClientCredentials, ClientDeps } from "./add.server.ts";
import { getClient } from "./show.server.ts";

/**
 * Replaces the secret of a client; the old one is invalid at once. Throws DomainError "client not found", or
 * "client is public" if it has no secret.
 */
export async function rotateClientSecret(context: ClientDeps, clientId: string): Promise<ClientCredentials> {
  const client = await getClient(context.store, clientId);
  if (client.public) throw new DomainError("client is public", { detail: clientId });
  const clientSecret = context.random.token();
  const sealedSecret = await context.secrets.seal("client-secret", clientSecret);
  await context.store.tx(async (tx) => {
    await updateClientSecret(tx, clientId, sealedSecret, context.clock.now());
    await recordEvent({ ...context, store: tx }, { type: "client.secret-rotated", outcome: "ok", clientId });
  });
  return { clientId, clientSecret };
}
