import { consumeHelpLink } from "#app/db/repositories/help-links.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { findHelpOfBearer, type Help, type HelpDeps } from "./help.server.ts";

/** The help cannot be used, or not for this change. */
export type ErrorToken = { kind: "error-token" };

/**
 * Consumes the help in the transaction of the change, and records its use. Locks the roles first, so that the giver is
 * still allowed to help when the transaction ends. Returns false if the help cannot be used any more.
 */
export async function consumeHelp(
  deps: AuditDeps & HelpDeps,
  { id, kind, user }: Help,
  input: RequestMetadata & { bearer: string },
): Promise<boolean> {
  await deps.store.lock("roles");
  const usable = await findHelpOfBearer(deps, input.bearer);
  if (usable?.id !== id || usable.user.generation !== user.generation) return false;
  const presented = { id, userId: user.id, kind, generation: user.generation, now: deps.clock.now() };
  if (!(await consumeHelpLink(deps.store, presented))) return false;
  await recordEvent(deps, { type: "help.used", outcome: "ok", reason: kind, ...metadataOf(user, input) });
  return true;
}

/** Returns the metadata of an event of a person's help. */
export function metadataOf(
  { id: userId, username }: User,
  { address, userAgent, requestId }: Pick<RequestMetadata, "address" | "userAgent" | "requestId">,
) {
  return { userId, username, address, userAgent, requestId };
}
