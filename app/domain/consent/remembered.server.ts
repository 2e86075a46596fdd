import { findConsent, saveConsent } from "#app/db/repositories/consents.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import type { Clock } from "#app/ports.ts";

/** How long a given consent is remembered, in days. */
export const CONSENT_DAYS = 90;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Where an answer came from. */
export type RequestNote = { address: string; requestId: string };

/** What a person allowed an application: scope ids and single claims. */
export type ConsentGiven = { userId: string; clientId: string; scopes: string[]; claims: string[] };

/** Remembers and records what the person allowed; adds to what the same application was allowed before. */
export async function rememberConsent(context: AuditDeps, given: ConsentGiven, request: RequestNote): Promise<void> {
  await context.store.tx(async (store) => {
    await addConsent({ ...context, store }, given);
    const { userId, clientId } = given;
    const event = { type: "consent.granted", outcome: "ok", userId, clientId, ...request } as const;
    await recordEvent({ ...context, store }, event);
  });
}

async function addConsent(context: { store: Store; clock: Clock }, given: ConsentGiven): Promise<void> {
  const earlier = await findRememberedConsent(context, given.userId, given.clientId);
  await saveConsent(context.store, {
    userId: given.userId,
    clientId: given.clientId,
    scopes: [...new Set([...(earlier?.scopes ?? []), ...given.scopes])],
    claims: [...new Set([...(earlier?.claims ?? []), ...given.claims])],
    grantedAt: context.clock.now(),
  });
}

/** The remembered consent of a person for an application, or null when there is none or it is older than CONSENT_DAYS. */
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

/** Whether a consent of that time spares the question still. */
export function isRemembered({ grantedAt }: { grantedAt: Date }, now: Date): boolean {
  return now.getTime() - grantedAt.getTime() <= CONSENT_DAYS * DAY_MS;
}
