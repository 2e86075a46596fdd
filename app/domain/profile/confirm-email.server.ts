import { consumeOneTimeToken, removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { lockGeneration } from "#app/db/repositories/user-generation.server.ts";
import { findUser, updateUserProfile } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { isUnconfirmedRegistration, type MailDeps, queueMail } from "#app/domain/mail/queue.server.ts";
import { ADDRESS_LINK_KINDS } from "#app/domain/secret/token-kinds.ts";
import { isAddressTaken } from "#app/domain/username/require-free.server.ts";
import { isSameAddress } from "#app/mail-address.server.ts";
import type { SignInMetadata } from "#app/ports.ts";
import { type EmailChange, findEmailChange, issueEmailUndo } from "./link.server.ts";
import type { EmailChangeDeps } from "./request-email.server.ts";

type ConfirmInput = { changeToken: string } & Pick<SignInMetadata, "address" | "userAgent" | "requestId">;

/**
 * Result of `confirmEmailChange`. "taken": the address belongs to another user meanwhile; "error-token": the link is
 * invalid. Nothing was changed in these cases.
 */
type ConfirmOutcome = { kind: "done" } | { kind: "taken" } | { kind: "error-token" };

/**
 * Consumes the link that was mailed to a new address, and stores the address as verified. Links that were mailed to the
 * old address end, sessions stay. The old address, if any, gets a notice with a link that undoes the change.
 */
export async function confirmEmailChange(context: EmailChangeDeps, input: ConfirmInput): Promise<ConfirmOutcome> {
  const change = await findEmailChange(context, input.changeToken);
  if (!change) return { kind: "error-token" };
  return context.store.tx<ConfirmOutcome>(async (store) => {
    const deps = { ...context, store };
    const before = await consumeChange(deps, change);
    if (!before) return rollback({ kind: "error-token" });
    const { to } = change;
    if (await isAddressTaken(store, to, before.id)) return rollback({ kind: "taken" });
    await notifyOldAddress(deps, before, { to, input });
    await updateUserProfile(store, before.id, { email: to, emailVerified: true }, context.clock.now());
    const { address, userAgent, requestId } = input;
    const metadata = { userId: before.id, address, userAgent, requestId };
    await recordEvent(deps, { type: "email-change.done", outcome: "ok", ...metadata });
    return { kind: "done" };
  });
}

/** Consumes the link and locks its user, who is returned; null if the link ended, or the user was changed meanwhile. */
async function consumeChange(
  { store, clock }: EmailChangeDeps,
  { user: { id, generation }, tokenHash, from }: EmailChange,
): Promise<User | null> {
  // A report of a stranger locks its own link first and the others second.
  await removeOneTimeTokensOfUser(store, id, ["not-me"]);
  if (!(await consumeOneTimeToken(store, { kind: "email-change", tokenHash, now: clock.now() }))) return null;
  // Before the user's row: a link locks itself first and its user second; another order could deadlock.
  await removeOneTimeTokensOfUser(store, id, ADDRESS_LINK_KINDS);
  if (!(await lockGeneration(store, id, generation))) return null;
  const user = await findUser(store, id);
  return user && isSameAddress(user.email, from) ? user : null;
}

/**
 * Mails the notice with the undo link to the address before the change. A registered address whose mailed link was never
 * used may be a stranger's, who must not get the account by it.
 */
async function notifyOldAddress(
  deps: EmailChangeDeps & MailDeps,
  before: User,
  { to, input: { address, userAgent } }: { to: string; input: ConfirmInput },
): Promise<void> {
  const { email } = before;
  if (email === null || email === to || (await isUnconfirmedRegistration(deps.store, before))) return;
  const { url, expiresAt: until } = await issueEmailUndo(deps, before, email);
  await queueMail(deps, { to: before, template: { name: "email-changed", url, until }, from: { address, userAgent } });
}
