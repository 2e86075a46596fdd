import type { Config } from "#app/config/config.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { hasFactorToGive } from "#app/domain/factor/factors.server.ts";
import { type MailDeps, type QueuedMail, queueMail } from "#app/domain/mail/queue.server.ts";
import type { FactorInput } from "#app/domain/pending-sign-in/attempts.server.ts";
import { findPending, type PendingSignIn } from "#app/domain/pending-sign-in/pending.server.ts";
import { createLimiter } from "#app/domain/throttle/limiter.server.ts";
import { DAY_SECONDS, HOUR_MS } from "#app/durations.ts";
import { issueFactorReset } from "./link.server.ts";
import { issueStopLink } from "./stop.server.ts";

/** Maximum number of link mails per user; also documented in docs/security.md. */
const LOST_LIMIT = { name: "mfa-reset/person", points: 3, windowSeconds: DAY_SECONDS } as const;

const perUser = createLimiter(LOST_LIMIT);

/** Reason why no link is sent. It is logged; the page does not show it. */
type LostRefusal = "no password given" | "mailed password" | "no e-mail" | "no factor";

/**
 * Returns the reason why the user must not get a link by mail, or null if the user may: access to the mailbox alone
 * must not suffice. A password that was set by a mailed link counts only after it was given together with a factor
 * (docs/decisions/027-mailed-passwords.md).
 */
export async function findLostRefusal(
  { store, config }: { store: Store; config: Pick<Config, "passkeys"> },
  { userId, amr, sessionSince }: Pick<PendingSignIn, "userId" | "amr" | "sessionSince">,
): Promise<LostRefusal | null> {
  const user = await findUser(store, userId);
  if (!user || !(await hasFactorToGive({ store, config }, userId))) return "no factor";
  // The password of a live session was given earlier, maybe not by the user who is in front of the browser now.
  if (!amr.includes("pwd") || sessionSince !== null) return "no password given";
  if (!user.email) return "no e-mail";
  return user.passwordSetHow === "link" && user.passwordProvenAt === null ? "mailed password" : null;
}

/** Dependencies of requesting a link. */
type LostDeps = AuditDeps & MailDeps & { config: Pick<Config, "factorResetDelayHours" | "passkeys"> };

/**
 * Result of `requestFactorReset`. "asked": the link was mailed; "refused": no link may be mailed; "too-many": the limit
 * `LOST_LIMIT` is exceeded.
 */
type LostOutcome =
  | { kind: "asked" }
  /** No pending sign-in of this browser has this token. */
  | { kind: "unauthorized" }
  | { kind: "refused" }
  | { kind: "too-many" };

/**
 * Mails a factor-reset link to the user of a pending sign-in who gave the right password. The link works after
 * FACTOR_RESET_DELAY_HOURS; the mail also contains a link that stops the reset. `pageLanguage` is the language of the
 * page.
 */
export async function requestFactorReset(
  context: LostDeps,
  input: FactorInput & { pageLanguage: string },
): Promise<LostOutcome> {
  const pending = await findPending(context, input);
  const user = pending && (await findUser(context.store, pending.userId));
  if (!pending || !user) return { kind: "unauthorized" };
  const { address, userAgent, requestId } = input;
  const metadata = { userId: user.id, clientId: pending.clientId, address, userAgent, requestId };
  const refused = { type: "factor-reset.refused", outcome: "refused", ...metadata } as const;
  const reason = await findLostRefusal(context, pending);
  if (reason !== null) {
    await recordEvent(context, { ...refused, reason });
    return { kind: "refused" };
  }
  if ((await perUser.count(context, user.id)) > 0) {
    await recordEvent(context, { ...refused, reason: "too many" });
    return { kind: "too-many" };
  }
  await context.store.tx(async (tx) => {
    const deps = { ...context, store: tx };
    const from = { address, userAgent, clientId: pending.clientId };
    await sendLink(deps, user, { pageLanguage: input.pageLanguage, from });
    await recordEvent(deps, { type: "factor-reset.requested", outcome: "ok", reason: "lost", ...metadata });
  });
  return { kind: "asked" };
}

async function sendLink(
  context: LostDeps,
  user: User,
  asked: Required<Pick<QueuedMail, "from" | "pageLanguage">>,
): Promise<void> {
  const { clock, config } = context;
  const worksFrom = new Date(clock.now().getTime() + config.factorResetDelayHours * HOUR_MS);
  const { url, tokenHash, expiresAt } = await issueFactorReset(context, user, worksFrom);
  const stopUrl = await issueStopLink(context, user, expiresAt);
  const template = { name: "mfa-reset", url, worksFrom, stopUrl } as const;
  const token = { kind: "mfa-reset", hash: tokenHash } as const;
  await queueMail(context, { to: user, template, token, expiresAt, ...asked });
}
