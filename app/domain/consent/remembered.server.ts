import { findConsent, saveConsent } from "#app/db/repositories/consents.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DAY_MS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";

/** Lifetime of a remembered consent. */
export const CONSENT_DAYS = 90;

/** Metadata of the request, for the audit event. */
export type RequestSource = { address: string; requestId: string };

/** Scope ids and individual claims that a user granted to a client. */
type GrantedConsent = { userId: string; clientId: string; scopes: string[]; claims: string[] };

/** Stores and records a consent, merged with a remembered one of the same user and client. Call it in a transaction. */
export async function rememberConsent(
  context: AuditDeps,
  granted: GrantedConsent,
  request: RequestSource,
): Promise<void> {
  await addConsent(context, granted);
  const { userId, clientId } = granted;
  await recordEvent(context, { type: "consent.granted", outcome: "ok", userId, clientId, ...request });
}

async function addConsent(context: { store: Store; clock: Clock }, granted: GrantedConsent): Promise<void> {
  const earlier = await findRememberedConsent(context, granted.userId, granted.clientId);
  await saveConsent(context.store, {
    userId: granted.userId,
    clientId: granted.clientId,
    scopes: [...new Set([...(earlier?.scopes ?? []), ...granted.scopes])],
    claims: [...new Set([...(earlier?.claims ?? []), ...granted.claims])],
    grantedAt: context.clock.now(),
  });
}

/** Returns the consent of a user for a client, or null if there is none or it is older than CONSENT_DAYS. */
export async function findRememberedConsent(
  context: { store: Store; clock: Clock },
  userId: string,
  clientId: string,
): Promise<{ scopes: string[]; claims: string[] } | null> {
  const consent = await findConsent(context.store, userId, clientId);
  return consent && isRemembered(consent, context.clock.now())
    ? { scopes: consent.scopes, claims: consent.claims }
    : null;
}

/** Returns true if a consent given at `grantedAt` is still remembered. */
export function isRemembered({ grantedAt }: { grantedAt: Date }, now: Date): boolean {
  return now.getTime() - grantedAt.getTime() <= CONSENT_DAYS * DAY_MS;
}
