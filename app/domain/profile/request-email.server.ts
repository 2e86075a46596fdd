import type { Config } from "#app/config/config.ts";
import { consumeOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { lockGeneration } from "#app/db/repositories/user-generation.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { type Done, isFresh, type NotAllowed, type SettingsAccess } from "#app/domain/access/access.ts";
import { findSettingsUser } from "#app/domain/access/grant.server.ts";
import { recordSettings } from "#app/domain/access/record.server.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { withoutInvisible } from "#app/domain/base/invisible.ts";
import { type MailDeps, queueMail } from "#app/domain/mail/queue.server.ts";
import { countTogether, createLimiter } from "#app/domain/throttle/limiter.server.ts";
import { createNetworkLimit } from "#app/domain/throttle/network-limit.server.ts";
import { isAddressTaken } from "#app/domain/username/require-free.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import { mailAddressSchema } from "#app/mail-address.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { findEmailChangeOfUser, issueEmailChange } from "./link.server.ts";

/** Limits for mails to new addresses. Keep in step with docs/security.md. */
export const EMAIL_CHANGE_LIMITS = {
  /** Mails per user. */
  user: { name: "email-change/person", points: 5, windowSeconds: HOUR_SECONDS },
  /** Requests per client address or IPv6 /64; 4 times as many per /56, 16 times per /48. */
  address: { name: "email-change/address", points: 50, windowSeconds: HOUR_SECONDS },
} as const;

const perUser = createLimiter(EMAIL_CHANGE_LIMITS.user);
const countsOfAddress = createNetworkLimit(EMAIL_CHANGE_LIMITS.address);

/** Dependencies of `requestEmailChange`. */
export type EmailChangeDeps = AuditDeps & MailDeps & { config: Pick<Config, "issuer" | "profileChanges"> };

/** Codes of refused addresses. None depends on other users. */
type EmailRefusal = "email is empty" | "email is invalid" | "email is unchanged";

/** Result of `requestEmailChange`. "done": a mail was sent. `retryAfterSeconds`: time until the next one is allowed. */
type EmailRequest =
  | Done
  | NotAllowed
  | { kind: "refused"; code: EmailRefusal }
  | { kind: "throttled"; retryAfterSeconds: number };

/** `email` is the new address, as typed; `pageLanguage` is the language of the page. */
type EmailInput = RequestMetadata & { email: string; pageLanguage: string };

/**
 * Mails a link to a new address of the user in the settings. The present address stays until the link is confirmed; a
 * newer request replaces the older one. If the address belongs to another user, the result, the pending change and the
 * work are the same, but the mail contains no link: only the reader of the mailbox learns of it.
 */
export async function requestEmailChange(
  context: EmailChangeDeps,
  access: SettingsAccess,
  input: EmailInput,
): Promise<EmailRequest> {
  if (!isFresh(access, context.clock.now())) return { kind: "reauthentication_required" };
  const user = await findSettingsUser(context.store, access);
  if (!user) return { kind: "unauthorized" };
  const typed = withoutInvisible(input.email).trim();
  if (typed === "") return { kind: "refused", code: "email is empty" };
  const parsed = mailAddressSchema.safeParse(typed);
  if (!parsed.success) return { kind: "refused", code: "email is invalid" };
  if (parsed.data === user.email && user.emailVerified) return { kind: "refused", code: "email is unchanged" };
  const result = await sendLink(context, access, { user, to: parsed.data, input });
  if (result.kind === "throttled") {
    const throttled = { type: "settings.throttled", outcome: "refused", reason: "email" } as const;
    await recordSettings(context, access, input, throttled);
  }
  return result;
}

async function sendLink(
  context: EmailChangeDeps,
  access: SettingsAccess,
  { user, to, input }: { user: User; to: string; input: EmailInput },
): Promise<EmailRequest> {
  return context.store.tx<EmailRequest>(async (store) => {
    const deps = { ...context, store };
    const counts = [...countsOfAddress(input.address), { limiter: perUser, key: user.id }];
    const retryAfterSeconds = await countTogether(deps, counts);
    if (retryAfterSeconds > 0) return rollback({ kind: "throttled", retryAfterSeconds });
    // Before the user's row, as in all transactions that end links.
    const { url, tokenHash, expiresAt } = await issueEmailChange(deps, user, to);
    if (!(await lockGeneration(store, user.id, user.generation))) return rollback({ kind: "unauthorized" });
    const isTaken = await isAddressTaken(store, to, user.id);
    const { username, displayName, locale } = user;
    await queueMail(deps, {
      to: { username, displayName, email: to, locale },
      template: isTaken ? { name: "email-change-refused" } : { name: "email-change", url },
      token: { kind: "email-change", hash: tokenHash },
      expiresAt,
      pageLanguage: input.pageLanguage,
      // Anybody may have typed the address.
      namesUnknown: true,
    });
    const requested = { type: "email-change.requested", outcome: "ok" } as const;
    await recordSettings(deps, access, input, isTaken ? { ...requested, reason: "address in use" } : requested);
    return { kind: "done" };
  });
}

/** A change that waits for its confirmation. `until`: expiry of the mailed link. */
export type PendingEmail = { email: string; until: Date };

/** Returns the pending change of the user in the settings, or null. */
export async function findPendingEmail(
  context: Pick<EmailChangeDeps, "store" | "clock" | "config">,
  { userId }: Pick<SettingsAccess, "userId">,
): Promise<PendingEmail | null> {
  const change = await findEmailChangeOfUser(context, userId);
  return change && { email: change.to, until: change.expiresAt };
}

/** Ends the pending change of the user in the settings: its link stops working. Does nothing if there is none. */
export async function withdrawEmailChange(
  context: EmailChangeDeps,
  access: SettingsAccess,
  metadata: RequestMetadata,
): Promise<Done | NotAllowed> {
  if (!isFresh(access, context.clock.now())) return { kind: "reauthentication_required" };
  if (!(await findSettingsUser(context.store, access))) return { kind: "unauthorized" };
  await context.store.tx(async (store) => {
    const deps = { ...context, store };
    const change = await findEmailChangeOfUser(deps, access.userId);
    if (!change) return;
    const presented = { tokenHash: change.tokenHash, now: context.clock.now() };
    if (!(await consumeOneTimeToken(store, { kind: "email-change", ...presented }))) return;
    await recordSettings(deps, access, metadata, { type: "email-change.withdrawn", outcome: "ok" });
  });
  return { kind: "done" };
}
