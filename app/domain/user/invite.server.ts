import type { User } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { storeDirectHelp } from "#app/domain/help-kind/one-kind.server.ts";
import { type MailDeps, queueMail } from "#app/domain/mail/queue.server.ts";
import { INVITATION_MINUTES, issueResetLink, type LinkDeps } from "#app/domain/password-reset/link.server.ts";
import { getUserByName } from "./get.server.ts";

/** Dependencies of invitations. In a transaction, pass the transaction's store. */
type InvitationDeps = MailDeps & LinkDeps;

/**
 * Mails a user without a password a link to set one, valid for seven days. Invalidates an older link. Counts as help for a
 * new password if the account was used. Throws
 * DomainError "user not found", "user is blocked", "user has no e-mail", "user has a password".
 * @returns the address, and the expiry of the link
 */
export async function inviteUser(
  context: AuditDeps & InvitationDeps,
  username: string,
): Promise<{ email: string; expiresAt: Date }> {
  const user = await getUserByName(context.store, username);
  const { id: userId, email } = user;
  if (user.status !== "active") throw new DomainError("user is blocked", { detail: user.username });
  if (email === null) throw new DomainError("user has no e-mail", { detail: user.username });
  if (user.passwordHash !== null) throw new DomainError("user has a password", { detail: user.username });
  return context.store.tx(async (store) => {
    const deps = { ...context, store };
    await storeDirectHelp(deps, user, { kind: "new-password", by: null, minutes: INVITATION_MINUTES });
    const expiresAt = await sendInvitation(deps, user);
    await recordEvent(deps, { type: "user.invited", outcome: "ok", userId });
    return { email, expiresAt };
  });
}

/**
 * Queues the invitation mail for a new user. Call it in a transaction. Returns the expiry of the link. `namesUnknown`: as
 * of `queueMail`.
 */
export async function sendInvitation(
  deps: InvitationDeps,
  user: User,
  { namesUnknown = false }: { namesUnknown?: boolean } = {},
): Promise<Date> {
  const {
    url,
    tokenHash: hash,
    expiresAt,
  } = await issueResetLink(deps, user, {
    mailedTo: user.email,
    minutes: INVITATION_MINUTES,
  });
  const token = { kind: "password-reset", hash } as const;
  await queueMail(deps, { to: user, template: { name: "invitation", url }, token, expiresAt, namesUnknown });
  return expiresAt;
}
