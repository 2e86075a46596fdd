import type { Config } from "#app/config/config.ts";
import { findUserByUsername } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { queueMail } from "#app/domain/mail/queue.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { countTogether, createLimiter } from "#app/domain/throttle/limiter.server.ts";
import { createNetworkLimit } from "#app/domain/throttle/network-limit.server.ts";
import { parseUsername } from "#app/domain/username/canonical.ts";
import type { Random, SignInMetadata } from "#app/ports.ts";
import { issueResetLink, type LinkOrigin } from "./link.server.ts";

const HOUR = 60 * 60;

/** How many mails with a link (the same numbers stand in docs/security.md). */
export const RESET_LIMITS = {
  /** To one person. */
  person: { name: "password-reset/person", points: 5, windowSeconds: HOUR },
  /** Asked for from one client address (IPv6: one /64; a /56 gets 4 times, a /48 16 times as many), for whatever user. */
  address: { name: "password-reset/address", points: 50, windowSeconds: HOUR },
} as const;

const perPerson = createLimiter(RESET_LIMITS.person);
const countsOfAddress = createNetworkLimit(RESET_LIMITS.address);

/** What asking for a link touches. */
export type RequestDeps = AuditDeps & { random: Random; secrets: Secrets; config: Config };

/** `username` as typed; the sign-in that the user came from, if any; where the request comes from. */
export type ResetRequest = { username: string; signIn: LinkOrigin | null } & Pick<
  SignInMetadata,
  "address" | "userAgent" | "requestId"
>;

/** Why no mail was sent; for the log alone. */
type Refusal = "unknown user" | "blocked" | "no e-mail" | "too many";

/**
 * Sends the person of this user name a link to a new password, if there is one to send it to. Whoever asks learns
 * nothing: call it when the answer, which is the same for every name, is out.
 */
export async function requestPasswordReset(context: RequestDeps, request: ResetRequest): Promise<void> {
  const name = parseUsername(request.username);
  const user = name.ok ? await findUserByUsername(context.store, name.canonical) : null;
  const { username, address, userAgent, requestId } = request;
  const facts = { username, address, userAgent, requestId, userId: user?.id ?? null };
  const refusal = await refusalOf(context, user, address);
  if (refusal || !user) {
    const reason = refusal ?? "unknown user";
    return recordEvent(context, { type: "password-reset.refused", outcome: "refused", reason, ...facts });
  }
  await context.store.tx(async (tx) => {
    const parts = { ...context, store: tx };
    const { url, tokenHash, expiresAt } = await issueResetLink(parts, user, { signIn: request.signIn });
    const token = { kind: "password-reset", hash: tokenHash } as const;
    await queueMail(parts, { to: user, template: { name: "password-reset", url }, token, expiresAt });
    await recordEvent(parts, { type: "password-reset.requested", outcome: "ok", ...facts });
  });
}

async function refusalOf(context: RequestDeps, user: User | null, address: string): Promise<Refusal | null> {
  if ((await countTogether(context, countsOfAddress(address))) > 0) return "too many";
  if (!user) return "unknown user";
  if (user.status !== "active") return "blocked";
  if (!user.email) return "no e-mail";
  return (await perPerson.count(context, user.id)) > 0 ? "too many" : null;
}
