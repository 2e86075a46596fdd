import { hasEventOfUser } from "#app/db/repositories/audit-events.server.ts";
import { isUnusedUser, removeUnusedUser } from "#app/db/repositories/invited-users.server.ts";
import { reserveUsername } from "#app/db/repositories/reserved-usernames.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import type { Administrator } from "#app/domain/administration/administrator.ts";
import { requirePerson } from "#app/domain/administration/person.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import type { ThrottleDeps } from "#app/domain/password/throttle.server.ts";
import type { LinkDeps } from "#app/domain/password-reset/link.server.ts";
import { createLimiter } from "#app/domain/throttle/limiter.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import { sendInvitation } from "./invite.server.ts";
import { clearFailures } from "./unlock.server.ts";

/** Limit of invitations per administrator or help desk. Keep in step with docs/security.md. */
export const INVITATION_LIMIT = {
  name: "invitations/administrator",
  points: 200,
  windowSeconds: HOUR_SECONDS,
} as const;

/** Counts invitations, repeated ones too. */
export const invitationLimiter = createLimiter(INVITATION_LIMIT);

/** Dependencies of invitations; the store is that of `requireAdministration`. */
export type InvitationsDeps = AuditDeps & MailDeps & LinkDeps;

/** Result of `resendInvitation`. "used": the account has been used since. `expiresAt`: end of the new link. */
export type Resending =
  | { kind: "done"; expiresAt: Date }
  | { kind: "not found" | "not allowed" | "used" | "blocked" | "no e-mail" }
  | { kind: "throttled"; retryAfterSeconds: number };

/**
 * Mails a person whose account was never used another invitation, valid for seven days; an older link ends. "not found"
 * and "not allowed" as of `requirePerson`, which locks the roles.
 */
export async function resendInvitation(
  context: InvitationsDeps,
  administrator: Administrator,
  userId: string,
): Promise<Resending> {
  return context.store.tx<Resending>(async (store) => {
    const deps = { ...context, store };
    const found = await requirePerson(store, administrator, userId);
    if (found.kind !== "found") return found;
    const { user } = found;
    if (!(await isUnusedUser(store, user.id))) return { kind: "used" };
    if (user.status === "blocked") return { kind: "blocked" };
    if (user.email === null) return { kind: "no e-mail" };
    const retryAfterSeconds = await invitationLimiter.count(deps, administrator.userId);
    if (retryAfterSeconds > 0) return rollback({ kind: "throttled", retryAfterSeconds });
    const expiresAt = await sendInvitation(deps, user);
    await recordEvent(deps, { type: "user.invited", outcome: "ok", userId, username: user.username });
    return { kind: "done", expiresAt };
  });
}

/** Result of `withdrawInvitation`. "used": the account has been used, so it has to be removed like any other. */
export type Withdrawal = { kind: "done"; displayName: string } | { kind: "not found" | "not allowed" | "used" };

/**
 * Removes an account that was never used: its link, and a mail that is still in the outbox, end with it. The user name
 * becomes free again, because no application has received it; that of an account which an application has registered
 * stays reserved. "not found" and "not allowed" as of `resendInvitation`.
 */
export async function withdrawInvitation(
  context: AuditDeps & ThrottleDeps,
  administrator: Administrator,
  userId: string,
): Promise<Withdrawal> {
  return context.store.tx<Withdrawal>(async (store) => {
    const deps = { ...context, store };
    const found = await requirePerson(store, administrator, userId);
    if (found.kind !== "found") return found;
    await clearFailures(deps, found.user);
    const removed = await removeUnusedUser(store, userId);
    if (!removed) return rollback({ kind: "used" });
    const { username, usernameCanonical, displayName } = removed;
    if (await hasEventOfUser(store, userId, "registration.completed")) {
      await reserveUsername(store, { usernameCanonical, userId, reservedAt: deps.clock.now() });
    }
    await recordEvent(deps, { type: "user.removed", outcome: "ok", userId, username, reason: "invitation withdrawn" });
    return { kind: "done", displayName };
  });
}
