import { removeKnownBrowsers } from "#app/db/repositories/known-browsers.server.ts";
import { consumeOneTimeToken, removeOneTimeTokensOfUser } from "#app/db/repositories/one-time-tokens.server.ts";
import { incrementGeneration } from "#app/db/repositories/user-generation.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { removePasskeysSince } from "#app/db/repositories/webauthn-credentials.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { NOT_ME_DAYS } from "#app/domain/mail/not-me-link.server.ts";
import { type MailDeps, queueMail } from "#app/domain/mail/queue.server.ts";
import { issueReportedResetLink } from "#app/domain/password-reset/link.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { LINK_KINDS, PENDING_KINDS } from "#app/domain/secret/token-kinds.ts";
import { endSessions } from "#app/domain/session/end-access.server.ts";
import { createLimiter } from "#app/domain/throttle/limiter.server.ts";
import { DAY_MS, HOUR_SECONDS } from "#app/durations.ts";
import type { SignInMetadata } from "#app/ports.ts";

/**
 * Limit of mails after reports from the settings. Links of earlier ones are still valid. A report by the link of a
 * notice always sends its mail: an attacker has no such link. Keep in step with docs/security.md.
 */
export const REPORT_LIMIT = { name: "not-me/person", points: 5, windowSeconds: HOUR_SECONDS } as const;

const perUser = createLimiter(REPORT_LIMIT);

/** Token of the link, language of the page, and metadata of the request. */
type NotMeInput = { notMeToken: string; pageLanguage: string } & Pick<
  SignInMetadata,
  "address" | "userAgent" | "requestId"
>;

/** Result of `endAccessByLink`. "error-token": the link is unknown, used or expired, or the user is blocked. */
type NotMeOutcome = { kind: "done" } | { kind: "error-token" };

/**
 * Consumes the link of a notice and ends everything that the account has open: sessions, grants, tokens, pending
 * sign-ins, links and known browsers. Mails a link to a new password in the same transaction. The password, connected
 * accounts and second factors stay, except passkeys of the last 7 days.
 */
export async function endAccessByLink(
  context: AuditDeps & MailDeps,
  { notMeToken, pageLanguage, address, userAgent, requestId }: NotMeInput,
): Promise<NotMeOutcome> {
  return context.store.tx(async (store) => {
    const presented = { kind: "not-me", tokenHash: hashToken(notMeToken), now: context.clock.now() } as const;
    const token = await consumeOneTimeToken(store, presented);
    const user = token?.userId ? await findUser(store, token.userId) : null;
    if (user?.status !== "active") return { kind: "error-token" };
    const deps = { ...context, store };
    if (!(await endAllAccess(deps, user.id))) return { kind: "error-token" };
    const isFromSettings = token?.slot !== null;
    const isLimited = isFromSettings && (await perUser.count(deps, user.id)) > 0;
    const isMailed = !isLimited && (await mailNewPassword(deps, user, pageLanguage));
    const metadata = { userId: user.id, address, userAgent, requestId };
    await recordEvent(deps, { type: "session.ended", outcome: "ok", reason: "reported by link", ...metadata });
    const requested = { type: "password-reset.requested", outcome: "ok", reason: "not me", ...metadata } as const;
    if (isMailed) await recordEvent(deps, requested);
    return { kind: "done" };
  });
}

/**
 * Ends everything that the account has open: sessions, grants, tokens, pending sign-ins, links and known browsers, and
 * removes recent passkeys. Returns false if the user is not active. Call it in a transaction that has locked the token of its own link before.
 */
export async function endAllAccess(deps: AuditDeps, userId: string): Promise<boolean> {
  const { store, clock } = deps;
  // An attacker may have requested the links. Before the user's row: a password reset locks its link first and the user
  // second; another order could deadlock.
  await removeOneTimeTokensOfUser(store, userId, LINK_KINDS);
  // Fails if the user was blocked since the row was read.
  if ((await incrementGeneration(store, userId, { expected: null, now: clock.now() })) === null) return false;
  await removeOneTimeTokensOfUser(store, userId, PENDING_KINDS);
  await removeKnownBrowsers(store, userId);
  await removeRecentPasskeys(deps, userId);
  await endSessions({ store, clock }, userId);
  return true;
}

/**
 * Removes the passkeys that may be the stranger's: those registered since the oldest notice whose link is still valid. A
 * passkey signs in without the password, so a new password would not keep the stranger out.
 */
async function removeRecentPasskeys(deps: AuditDeps, userId: string): Promise<void> {
  const since = new Date(deps.clock.now().getTime() - NOT_ME_DAYS * DAY_MS);
  if ((await removePasskeysSince(deps.store, { userId, since })) === 0) return;
  await recordEvent(deps, { type: "factor.removed", outcome: "ok", reason: "passkey", userId });
}

/**
 * Mails a link to a new password to a user who reported a stranger. Returns false if the user has no mail address. Call
 * it in the transaction that ends all access.
 */
export async function mailNewPassword(deps: MailDeps, user: User, pageLanguage: string): Promise<boolean> {
  if (user.email === null) return false;
  const { url, tokenHash, expiresAt } = await issueReportedResetLink(deps, user);
  const token = { kind: "not-me-reset", hash: tokenHash } as const;
  await queueMail(deps, { to: user, template: { name: "password-reset", url }, token, expiresAt, pageLanguage });
  return true;
}
