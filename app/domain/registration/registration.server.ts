import { z } from "zod";
import { findOneTimeToken, renewOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import type { OneTimeToken } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { PROVIDERS } from "#app/domain/external-account/providers.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Clock, Random } from "#app/ports.ts";

/** What registering touches. In a transaction hand in the transaction's store. */
export type RegistrationDeps = AuditDeps & { random: Random };

/** How long each token of a registration is good, from when it was made. */
export const REGISTRATION_MINUTES = 60;

/** As long as a request can be started again, its person is told that a link has expired; later, that it is none. */
const KEPT_HOURS = 24;

const MINUTE_MS = 60 * 1000;

const hint = z.object({ key: z.string(), value: z.string() });

/** Who the person is at an external provider that opened no account here. */
const identity = z
  .object({ provider: z.enum(PROVIDERS), issuer: z.string(), subject: z.string(), name: z.string().nullable() })
  .nullable()
  .default(null);

// One row for each request that waits. Its token is another one in each stage, so that none works twice, nor in the
// place of another.

/** The person is on the way to the application, with the `registration_token`. */
export const BEGUN = z.object({
  stage: z.literal("begun"),
  uid: z.string(),
  hints: z.array(hint),
  /** Keys of the hints that a provider vouches for. */
  verified: z.array(z.string()).default([]),
  identity,
  until: z.coerce.date(),
});

/** The application knows what was hinted, and holds the `registration_id`. */
export const REDEEMED = z.object({
  stage: z.literal("redeemed"),
  uid: z.string(),
  identity,
  until: z.coerce.date(),
});

/** A registration that its application knows. */
export type Redeemed = z.output<typeof REDEEMED>;

/** The account is there, and the person on the way back, with the token of the callback. */
export const COMPLETED = z.object({
  stage: z.literal("completed"),
  uid: z.string(),
  userId: z.string(),
  until: z.coerce.date(),
});

/** A registration, found by the token of its stage. `isOver`: that token's time is. */
export type Registration<Payload> = { row: OneTimeToken; payload: Payload; isOver: boolean };

/** The registration that this token stands for in this stage, or null. Who may use it is the caller's to check. */
export async function findRegistration<Payload extends { until: Date }>(
  { store, clock }: { store: Store; clock: Clock },
  { token, stage }: { token: string; stage: z.ZodType<Payload> },
): Promise<Registration<Payload> | null> {
  const now = clock.now();
  const row = await findOneTimeToken(store, { kind: "registration", tokenHash: hashToken(token), now });
  const payload = stage.safeParse(row?.payload);
  return row && payload.success ? { row, payload: payload.data, isOver: payload.data.until <= now } : null;
}

/**
 * Moves a registration on to its next stage. One statement: of many at once one wins.
 * @returns the token of that stage, or null where somebody was faster
 */
export async function advanceRegistration(
  { store, clock, random }: RegistrationDeps,
  { row }: { row: OneTimeToken },
  next: Omit<Redeemed, "until"> | Omit<z.output<typeof COMPLETED>, "until">,
): Promise<string | null> {
  const token = random.token();
  const now = clock.now();
  const payload = { ...next, until: goodUntil(now).toISOString() };
  const renewal = { kind: "registration", from: row.tokenHash, to: hashToken(token), payload, now } as const;
  return (await renewOneTimeToken(store, renewal)) ? token : null;
}

/** Until when a token that is made now is good. */
export function goodUntil(now: Date): Date {
  return new Date(now.getTime() + REGISTRATION_MINUTES * MINUTE_MS);
}

/** Until when the row of a registration that begins now is kept. */
export function keptUntil(now: Date): Date {
  return new Date(now.getTime() + KEPT_HOURS * 60 * MINUTE_MS);
}
