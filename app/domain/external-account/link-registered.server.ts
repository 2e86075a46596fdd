import { z } from "zod";
import { PROVIDERS } from "#app/config/providers.ts";
import {
  consumeOneTimeToken,
  findOneTimeTokenOfSlot,
  issueOneTimeToken,
} from "#app/db/repositories/one-time-tokens.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { HOUR_MS } from "#app/durations.ts";
import type { Random, SignInMetadata } from "#app/ports.ts";
import type { ExternalIdentity } from "./identity.ts";
import { linkIdentity } from "./link.server.ts";

/** Time from registration until the first sign-in, which connects the external account. */
const WAITING_HOURS = 24;

const payload = z.object({
  identity: z.object({
    provider: z.enum(PROVIDERS),
    issuer: z.string(),
    subject: z.string(),
    name: z.string().nullable(),
  }),
});

/**
 * Stores the external identity of a registration until the new user signs in for the first time, in the browser that
 * proved the identity. It is not connected earlier, because another user may have entered the account data.
 */
export async function linkAtSignIn(
  { store, clock, random }: AuditDeps & { random: Random },
  { identity, userId, browserHash }: { identity: ExternalIdentity; userId: string; browserHash: string | null },
): Promise<void> {
  const createdAt = clock.now();
  await issueOneTimeToken(store, {
    kind: "external-attempt",
    slot: slotOf(userId),
    tokenHash: hashToken(random.token()),
    userId,
    browserHash,
    payload: { identity },
    createdAt,
    expiresAt: new Date(createdAt.getTime() + WAITING_HOURS * HOUR_MS),
  });
}

/** Connects the identity stored by `linkAtSignIn` for this user and browser. Call it in the sign-in's transaction. */
export async function linkRegistered(
  context: AuditDeps & MailDeps,
  { userId, browser, ...metadata }: SignInMetadata & { userId: string },
): Promise<void> {
  const { store, clock } = context;
  const now = clock.now();
  const row = await findOneTimeTokenOfSlot(store, { kind: "external-attempt", slot: slotOf(userId), now });
  const stored = payload.safeParse(row?.payload);
  if (!row || !stored.success || row.browserHash !== hashToken(browser)) return;
  if (!(await consumeOneTimeToken(store, { kind: "external-attempt", tokenHash: row.tokenHash, now }))) return;
  const { identity } = stored.data;
  const linked = await linkIdentity(context, { identity, userId, from: metadata });
  const { address, userAgent, requestId, clientId } = metadata;
  await recordEvent(context, {
    type: linked ? "provider.connected" : "provider.refused",
    outcome: linked ? "ok" : "refused",
    reason: linked ? identity.provider : `${identity.provider}: in use`,
    ...{ userId, address, userAgent, requestId, clientId },
  });
}

function slotOf(userId: string): string {
  return `registered/${userId}`;
}
