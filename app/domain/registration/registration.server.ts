import { z } from "zod";
import { PROVIDERS } from "#app/config/providers.ts";
import { findClient } from "#app/db/repositories/clients.server.ts";
import { findOneTimeToken, renewOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import type { OneTimeToken } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { HOUR_MS, MINUTE_MS } from "#app/durations.ts";
import type { Clock, Random } from "#app/ports.ts";

/** Dependencies of registrations. In a transaction, pass the transaction's store. */
export type RegistrationDeps = AuditDeps & { random: Random };

/** Lifetime of each token of a registration. */
export const REGISTRATION_MINUTES = 60;

/** Lifetime of the row. Until then an expired token is reported as expired, later as unknown. */
const KEPT_HOURS = 24;

const hint = z.object({ key: z.string(), value: z.string() });

/** The external identity of a user without an account. */
const identity = z
  .object({ provider: z.enum(PROVIDERS), issuer: z.string(), subject: z.string(), name: z.string().nullable() })
  .nullable()
  .default(null);

/** Language of the page on which the registration began; null if unknown. */
const language = z.string().nullable().default(null);

// A registration is one row per interaction. Each stage has a new token, so that every token works once and for one
// stage.

/** First stage: the user is redirected to the client with the `registration_token`. */
export const BEGUN = z.object({
  stage: z.literal("begun"),
  uid: z.string(),
  hints: z.array(hint),
  /** Keys of the hints that a provider has verified. */
  verified: z.array(z.string()).default([]),
  identity,
  language,
  until: z.coerce.date(),
});

/** Second stage: the client has the hints and the `registration_id`. */
export const REDEEMED = z.object({
  stage: z.literal("redeemed"),
  uid: z.string(),
  identity,
  language,
  until: z.coerce.date(),
});

/** A redeemed registration. */
export type Redeemed = z.output<typeof REDEEMED>;

/** Third stage: the account exists, and the user is redirected to the callback with its token. */
export const COMPLETED = z.object({
  stage: z.literal("completed"),
  uid: z.string(),
  userId: z.string(),
  until: z.coerce.date(),
});

/** A registration found by the token of its stage. `isExpired`: the token is expired. */
export type Registration<Payload> = { row: OneTimeToken; payload: Payload; isExpired: boolean };

/** Finds the registration for a token of this stage, or null. The caller checks the client or the browser. */
export async function findRegistration<Payload extends { until: Date }>(
  { store, clock }: { store: Store; clock: Clock },
  { token, stage }: { token: string; stage: z.ZodType<Payload> },
): Promise<Registration<Payload> | null> {
  const now = clock.now();
  const row = await findOneTimeToken(store, { kind: "registration", tokenHash: hashToken(token), now });
  const payload = stage.safeParse(row?.payload);
  return row && payload.success ? { row, payload: payload.data, isExpired: payload.data.until <= now } : null;
}

/**
 * Finds the registration for a token that a client sent. Returns null also if the token is expired, if it belongs to
 * another client, and if the client has no registration URL any more: an administrator ended its registrations.
 */
export async function findRegistrationOfClient<Payload extends { until: Date }>(
  deps: { store: Store; clock: Clock },
  { clientId, ...presented }: { token: string; stage: z.ZodType<Payload>; clientId: string },
): Promise<Registration<Payload> | null> {
  const registration = await findRegistration(deps, presented);
  if (!registration || registration.isExpired || registration.row.clientId !== clientId) return null;
  const client = await findClient(deps.store, clientId);
  return client && client.registrationUrl !== null ? registration : null;
}

/** Advances a registration in one conditional statement. Returns the new token, or null if another call was faster. */
export async function advanceRegistration(
  { store, clock, random }: RegistrationDeps,
  { row }: { row: OneTimeToken },
  next: Omit<Redeemed, "until"> | Omit<z.output<typeof COMPLETED>, "until">,
): Promise<string | null> {
  const token = random.token();
  const now = clock.now();
  const payload = { ...next, until: tokenExpiry(now).toISOString() };
  const renewal = { kind: "registration", from: row.tokenHash, to: hashToken(token), payload, now } as const;
  return (await renewOneTimeToken(store, renewal)) ? token : null;
}

/** Returns when a token issued now expires. */
export function tokenExpiry(now: Date): Date {
  return new Date(now.getTime() + REGISTRATION_MINUTES * MINUTE_MS);
}

/** Returns when the row of a registration that begins now expires. */
export function rowExpiry(now: Date): Date {
  return new Date(now.getTime() + KEPT_HOURS * HOUR_MS);
}
