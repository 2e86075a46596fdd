import type { User } from "#app/db/schema.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import type { ThrottleDeps } from "#app/domain/password/throttle.server.ts";
import type { LinkDeps } from "#app/domain/password-reset/link.server.ts";
import { sendInvitation } from "#app/domain/user/invite.server.ts";
import { removeFoundUser } from "#app/domain/user/remove.server.ts";
import { changePerson, type PersonChange, type PersonDeps, type PersonRef } from "./change.server.ts";

/** Returns true for an active person who has no password yet, and has never signed in. */
export function isInvited({ status, passwordHash, lastSignedInAt }: User): boolean {
  return status === "active" && passwordHash === null && lastSignedInAt === null;
}

/** Mails an invited person another invitation; the older link ends. Refuses "user has a password", "user has no e-mail". */
export async function resendTo(context: PersonDeps & MailDeps & LinkDeps, ref: PersonRef): Promise<PersonChange> {
  return changePerson(context, ref, { permission: "invite people" }, async (deps, { user }) => {
    requireInvited(user);
    if (user.email === null) throw new DomainError("user has no e-mail", { detail: user.username });
    await sendInvitation(deps, user);
    await recordEvent(deps, { type: "user.invited", outcome: "ok", userId: user.id, username: user.username });
  });
}

/** Removes an invited person. Refuses "user has a password" when the invitation was accepted meanwhile. */
export async function withdrawFrom(context: PersonDeps & ThrottleDeps, ref: PersonRef): Promise<PersonChange> {
  return changePerson(context, ref, { permission: "invite people" }, async (deps, { user }) => {
    requireInvited(user);
    await removeFoundUser(deps, user);
  });
}

function requireInvited(user: User): void {
  if (!isInvited(user)) throw new DomainError("user has a password", { detail: user.username });
}
