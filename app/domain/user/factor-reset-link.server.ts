import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/errors.ts";
import { type FactorResetLink, issueFactorReset, type LinkDeps } from "#app/domain/factor-reset/link.server.ts";
import { getUserByName } from "./get.server.ts";

/**
 * Issues a link with which an administrator lets a user remove all second factors, without delay. Invalidates an older
 * link, also a delayed one. Throws DomainError "user not found", "user is blocked".
 */
export async function createFactorResetLink(context: AuditDeps & LinkDeps, username: string): Promise<FactorResetLink> {
  const user = await getUserByName(context.store, username);
  if (user.status !== "active") throw new DomainError("user is blocked", { detail: user.username });
  return context.store.tx(async (tx) => {
    const parts = { ...context, store: tx };
    const link = await issueFactorReset(parts, user, null);
    const facts = { userId: user.id, reason: "cli" };
    await recordEvent(parts, { type: "factor-reset.requested", outcome: "ok", ...facts });
    return link;
  });
}
