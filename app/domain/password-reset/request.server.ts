import type { Config } from "#app/config/config.ts";
import { findInstance } from "#app/db/repositories/instance.server.ts";
import { findUserByLoginName } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { queueMail } from "#app/domain/mail/queue.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { countTogether, createLimiter } from "#app/domain/throttle/limiter.server.ts";
import { createNetworkLimit } from "#app/domain/throttle/network-limit.server.ts";
import { parseLoginName } from "#app/domain/username/typed-name.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import type { Random, SignInMetadata } from "#app/ports.ts";
import { issueResetLink, type LinkOrigin } from "./link.server.ts";

/** Limits for reset mails. Keep in step with docs/security.md. */
export const RESET_LIMITS = {
  /** Mails per user. */
  user: { name: "password-reset/person", points: 5, windowSeconds: HOUR_SECONDS },
  /** Requests per client address or IPv6 /64; 4 times as many per /56, 16 times per /48. */
  address: { name: "password-reset/address", points: 50, windowSeconds: HOUR_SECONDS },
} as const;

const perUser = createLimiter(RESET_LIMITS.user);
const countsOfAddress = createNetworkLimit(RESET_LIMITS.address);

/** Dependencies of `requestPasswordReset`. */
type RequestDeps = AuditDeps & { random: Random; secrets: Secrets; config: Config };

/**
 * A reset request. `username` is a user name or a verified e-mail address, as typed; `signIn` is the sign-in it was
 * made from, if any; `pageLanguage` is the language of the page.
 */
type ResetRequest = { username: string; signIn: LinkOrigin | null; pageLanguage: string } & Pick<
  SignInMetadata,
  "address" | "userAgent" | "requestId"
>;

/** Reason why no mail was sent. Recorded in the audit trail only. */
type Refusal = "unknown user" | "blocked" | "no e-mail" | "too many";

/**
 * Rejects while the database is unavailable: the response must not promise a mail that cannot be sent. Does not depend
 * on the user name.
 */
export async function requireDatabase({ store }: Pick<RequestDeps, "store">): Promise<void> {
  await findInstance(store);
}

/**
 * Mails a password-reset link to a user, if the user exists and has an address. Call it after the response, which must
 * be the same for every user name, is sent.
 */
export async function requestPasswordReset(context: RequestDeps, request: ResetRequest): Promise<void> {
  const user = await findUserByLoginName(context.store, parseLoginName(request.username));
  const { address, userAgent, requestId } = request;
  const metadata = { username: user?.username ?? null, address, userAgent, requestId, userId: user?.id ?? null };
  const refusal = await refusalOf(context, user, address);
  if (refusal || !user) {
    const reason = refusal ?? "unknown user";
    return recordEvent(context, { type: "password-reset.refused", outcome: "refused", reason, ...metadata });
  }
  await context.store.tx(async (tx) => {
    const deps = { ...context, store: tx };
    const { signIn, pageLanguage } = request;
    const { url, tokenHash, expiresAt } = await issueResetLink(deps, user, { mailedTo: user.email, signIn });
    const token = { kind: "password-reset", hash: tokenHash } as const;
    await queueMail(deps, { to: user, template: { name: "password-reset", url }, token, expiresAt, pageLanguage });
    await recordEvent(deps, { type: "password-reset.requested", outcome: "ok", ...metadata });
  });
}

async function refusalOf(context: RequestDeps, user: User | null, address: string): Promise<Refusal | null> {
  if ((await countTogether(context, countsOfAddress(address))) > 0) return "too many";
  if (!user) return "unknown user";
  if (user.status !== "active") return "blocked";
  if (!user.email) return "no e-mail";
  return (await perUser.count(context, user.id)) > 0 ? "too many" : null;
}
