import { findUnseenReset, markPasswordResetSeen } from "#app/db/repositories/mailed-passwords.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import type { Subject } from "#app/domain/engine-session/subject.server.ts";
import type { SignInMetadata } from "#app/ports.ts";

/**
 * Returns when a mailed link set the user's password, if the user has not acknowledged this notice yet, else null.
 * Requires a session that began at a provider, with an account connected before the reset: the password proves nothing,
 * since an attacker may have set it.
 */
export async function findPasswordResetNotice(
  { store }: Pick<AuditDeps, "store">,
  subject: Subject | null,
): Promise<Date | null> {
  if (!subject?.amr.includes("fed")) return null;
  return findUnseenReset(store, subject.userId);
}

/** Records that the user has seen the notice. Does nothing if no notice is open. */
export async function acknowledgePasswordReset(
  context: AuditDeps,
  subject: Subject,
  { address, userAgent, requestId, clientId }: Omit<SignInMetadata, "browser">,
): Promise<void> {
  const { userId, generation } = subject;
  if (!subject.amr.includes("fed")) return;
  await context.store.tx(async (store) => {
    if (!(await markPasswordResetSeen(store, userId, { generation }))) return;
    const metadata = { userId, address, userAgent, requestId, clientId };
    await recordEvent({ ...context, store }, { type: "password-reset.seen", outcome: "ok", ...metadata });
  });
}
