import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/errors.ts";
import { issueResetLink, type LinkDeps, type ResetLink } from "#app/domain/password-reset/link.server.ts";
import { getUserByName } from "./get.server.ts";

/**
 * Issues a link with which an administrator lets a user choose a password. Invalidates an older link. Throws
 * DomainError "user not found", "user is blocked".
 */
export async function createPasswordLink(context: AuditDeps & LinkDeps, username: string): Promise<ResetLink> {
  const user = await getUserByName(context.store, username);
  if (user.status !== "active") throw new DomainError("user is blocked", { detail: user.username });
  return context.store.tx(async (tx) => {
    const parts = { ...context, store: tx };
    const link = await issueResetLink(parts, user);
    const facts = { userId: user.id, reason: "cli" };
    await recordEvent(parts, { type: "password-reset.requested", outcome: "ok", ...facts });
    return link;
  });
}
