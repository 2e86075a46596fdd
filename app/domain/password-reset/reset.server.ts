import { removeKnownBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import { consumeOneTimeToken, removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { incrementGeneration } from "#app/db/repositories/user-generation.server.ts";
import { setUserPassword, verifyAddress } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import { checkNewPassword, type NewPasswordResult } from "#app/domain/password/check-new.server.ts";
import { callerOf } from "#app/domain/password/concurrency-limit.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { clearAccountFailures } from "#app/domain/password/throttle.server.ts";
import { PENDING_KINDS } from "#app/domain/secret/token-kinds.ts";
import { endSessions } from "#app/domain/session/end-access.server.ts";
import { isNameOfOther } from "#app/domain/username/require-free.server.ts";
import type { SignInMetadata } from "#app/ports.ts";
import { findPasswordReset, type PasswordReset } from "./link.server.ts";

/** Dependencies of `resetPassword`. */
type ResetDeps = AuditDeps & MailDeps & { hasher: PasswordHasher };

/** `password` and `repeat` are as typed. */
type ResetInput = { resetToken: string; password: string; repeat: string } & Pick<
  SignInMetadata,
  "address" | "userAgent" | "requestId"
>;

/**
 * Result of `resetPassword`. Only "done" consumes the link; `isFirst`: the user had no password before; `opensSettings`:
 * as of the link.
 */
type ResetOutcome =
  | { kind: "done"; username: string; isFirst: boolean; opensSettings: boolean }
  /** The link is invalid or expired. */
  | { kind: "error-token" }
  | Extract<NewPasswordResult, { kind: "refused" }>;

/**
 * Sets a new password through a reset link, and consumes the link. Verifies the address to which the link was mailed. Ends
 * all sessions and tokens of the user, notifies the user by mail, and leaves second factors unchanged. Does not sign in.
 * Throws DomainError "overloaded" when the hash queue is full; the link stays valid.
 */
export async function resetPassword(context: ResetDeps, input: ResetInput): Promise<ResetOutcome> {
  const reset = await findPasswordReset(context, input.resetToken);
  if (!reset) return { kind: "error-token" };
  const { user } = reset;
  const checked = await checkNewPassword(context, { password: input.password, repeat: input.repeat, user });
  if (checked.kind === "refused") return checked;
  const hash = await context.hasher.hash(checked.password, callerOf(user.id, input.address));
  return context.store.tx(async (tx) => storePassword({ ...context, store: tx }, { reset, hash, input }));
}

async function storePassword(
  context: ResetDeps,
  {
    reset: { user, kind, tokenHash, generation, mailedTo, opensSettings },
    hash,
    input,
  }: { reset: PasswordReset; hash: string; input: ResetInput },
): Promise<ResetOutcome> {
  const presented = { kind, tokenHash, now: context.clock.now() };
  if (!(await consumeOneTimeToken(context.store, presented))) return { kind: "error-token" };
  const isReplaced = await replacePassword(context, user, { generation, hash, mailedTo, metadata: input });
  if (!isReplaced) return { kind: "error-token" };
  return { kind: "done", username: user.username, isFirst: user.passwordHash === null, opensSettings };
}

/**
 * The new password's hash. `generation`: the only one of the user in which it may be set, null for any. `mailedTo`: the
 * address that the user has proven, null for none.
 */
type NewPassword = {
  generation: number | null;
  hash: string;
  mailedTo: string | null;
  metadata: Pick<SignInMetadata, "address" | "userAgent" | "requestId">;
};

/**
 * Sets the password of a user by a link, in the transaction of the store: ends all sessions and tokens, notifies the user
 * by mail, and leaves second factors unchanged. Returns false if the user was changed or blocked meanwhile: then roll back.
 */
export async function replacePassword(
  context: AuditDeps & MailDeps,
  user: User,
  { generation, hash, mailedTo, metadata: { address, userAgent, requestId } }: NewPassword,
): Promise<boolean> {
  const { store, clock } = context;
  const at = clock.now();
  // Fails if the user was blocked or, unless a stranger was reported, changed since the link was checked.
  if ((await incrementGeneration(store, user.id, { expected: generation, now: at })) === null) return false;
  await setUserPassword(store, user.id, { hash, how: "link", at });
  if (mailedTo !== null && !(await isNameOfOther(store, mailedTo, user.id))) {
    await verifyAddress(store, user.id, { email: mailedTo, now: at });
  }
  await removeOneTimeTokensOfUser(store, user.id, PENDING_KINDS);
  await clearAccountFailures(context, user);
  await removeKnownBrowsers(store, user.id);
  await endSessions(context, user.id);
  await notifyUser(context, user.id, { template: { name: "password-changed" } });
  const metadata = { userId: user.id, address, userAgent, requestId };
  await recordEvent(context, { type: "password-reset.done", outcome: "ok", ...metadata });
  return true;
}
