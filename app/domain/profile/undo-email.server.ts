import {
  consumeOneTimeToken,
  removeOneTimeTokensOfUser,
  removeOneTimeTokensSince,
} from "#app/db/repositories/one-time-tokens.server.ts";
import { updateUserProfile } from "#app/db/repositories/users.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import { endAllAccess, mailNewPassword } from "#app/domain/not-me/end-access.server.ts";
import { ADDRESS_LINK_KINDS } from "#app/domain/secret/token-kinds.ts";
import { isNameOfOther } from "#app/domain/username/require-free.server.ts";
import type { SignInMetadata } from "#app/ports.ts";
import { findEmailUndo } from "./link.server.ts";

/** Token of the link, language of the page, and metadata of the request. */
type UndoInput = { undoToken: string; pageLanguage: string } & Pick<
  SignInMetadata,
  "address" | "userAgent" | "requestId"
>;

/** Result of `undoEmailChange`. "error-token": the link is invalid; nothing was changed. */
type UndoOutcome = { kind: "done" } | { kind: "error-token" };

/**
 * Consumes the link of a notice about a new address: restores the old address whatever the present one is, with its
 * verified state, and ends everything that the account has open, like a report of a stranger. Mails a link to a new
 * password to the restored address. The undo links of this and later changes end; those of earlier ones stay, because an
 * attacker may have changed the address twice.
 */
export async function undoEmailChange(
  context: AuditDeps & MailDeps,
  { undoToken, pageLanguage, address, userAgent, requestId }: UndoInput,
): Promise<UndoOutcome> {
  const undo = await findEmailUndo(context, undoToken);
  if (!undo) return { kind: "error-token" };
  const { user, tokenHash, email, issuedAt } = undo;
  return context.store.tx<UndoOutcome>(async (store) => {
    const deps = { ...context, store };
    const now = context.clock.now();
    // A report of a stranger locks its own link first and the others second.
    await removeOneTimeTokensOfUser(store, user.id, ["not-me"]);
    const presented = { kind: "email-change-undo", tokenHash, now } as const;
    if (!(await consumeOneTimeToken(store, presented))) return rollback({ kind: "error-token" });
    await removeOneTimeTokensSince(store, user.id, { kind: "email-change-undo", since: issuedAt });
    await removeOneTimeTokensOfUser(store, user.id, ADDRESS_LINK_KINDS);
    if (!(await endAllAccess(deps, user.id))) return rollback({ kind: "error-token" });
    const emailVerified = undo.isVerified && !(await isNameOfOther(store, email, user.id));
    const restored = await updateUserProfile(store, user.id, { email, emailVerified }, now);
    if (!restored) return rollback({ kind: "error-token" });
    await mailNewPassword(deps, restored, pageLanguage);
    const metadata = { userId: user.id, address, userAgent, requestId };
    await recordEvent(deps, { type: "email-change.undone", outcome: "ok", ...metadata });
    await recordEvent(deps, { type: "session.ended", outcome: "ok", reason: "reported by link", ...metadata });
    await recordEvent(deps, { type: "password-reset.requested", outcome: "ok", reason: "not me", ...metadata });
    return { kind: "done" };
  });
}
