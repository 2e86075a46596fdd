import { findUnseenReset, markPasswordResetSeen } from "#app/db/repositories/mailed-passwords.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import type { Subject } from "#app/domain/sign-in/subject.server.ts";
import type { SignInMetadata } from "#app/ports.ts";

/**
 * When a mailed link set the password of the user of a live session, if the user has yet to see that; else null. Only a
 * session that began at a provider: to sign in with the password proves nothing, because that is what a stranger set.
 * Nor does an account at a provider that was connected since.
 */
export async function findPasswordResetNotice(
  { store }: Pick<AuditDeps, "store">,
  subject: Subject | null,
): Promise<Date | null> {
  if (!subject?.amr.includes("fed")) return null;
  return findUnseenReset(store, subject.userId);
}

/** Records that the user has seen the notice. Does nothing where there is none to see. */
export async function acknowledgePasswordReset(
  context: AuditDeps,
  subject: Subject,
  { address, userAgent, requestId, clientId }: Omit<SignInMetadata, "browser">,
): Promise<void> {
  const { userId, generation } = subject;
  if (!subject.amr.includes("fed")) return;
  await context.store.tx(async (store) => {
    if (!(await markPasswordResetSeen(store, userId, { generation }))) return;
    const facts = { userId, address, userAgent, requestId, clientId };
    await recordEvent({ ...context, store }, { type: "password-reset.seen", outcome: "ok", ...facts });
  });
}
