import { z } from "zod";
import { PROVIDERS } from "#app/config/providers.ts";
import {
  findOneTimeTokenOfSlot,
  issueOneTimeToken,
  renewOneTimeTokenOfSlot,
} from "#app/db/repositories/one-time-tokens.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { HOUR_SECONDS, MINUTE_SECONDS } from "#app/durations.ts";
import type { Clock, Random } from "#app/ports.ts";

/** Lifetime of an account selection. */
const SELECTION_SECONDS = 10 * MINUTE_SECONDS;

/** Lifetime of the other outcomes; equals that of the sign-in page, which offers registration with these claims. */
const OTHER_OUTCOME_SECONDS = HOUR_SECONDS;

const identity = z.object({
  provider: z.enum(PROVIDERS),
  issuer: z.string(),
  subject: z.string(),
  name: z.string().nullable(),
});

const claims = z.object({
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  name: z.string().nullable(),
  givenName: z.string().nullable(),
  familyName: z.string().nullable(),
});

const schema = z.discriminatedUnion("kind", [
  /** Several accounts are connected; the user selects one of `userIds`. */
  z.object({
    kind: z.literal("choose"),
    provider: z.enum(PROVIDERS),
    identity,
    userIds: z.array(z.string()),
    proof: z
      .object({ authTime: z.number().nullable(), provenSince: z.number().nullable() })
      .default({ authTime: null, provenSince: null }),
  }),
  /** No account is connected. */
  z.object({ kind: z.literal("unknown"), provider: z.enum(PROVIDERS), identity, claims }),
  /** The sign-in at the provider is too old for the request. `hasPassword`: the user can enter a password instead. */
  z.object({
    kind: z.literal("not recent"),
    provider: z.enum(PROVIDERS),
    username: z.string(),
    hasPassword: z.boolean(),
  }),
  /** The only connected account is blocked, or was disconnected meanwhile. */
  z.object({ kind: z.literal("refused"), provider: z.enum(PROVIDERS) }),
  z.object({ kind: z.literal("failed"), provider: z.enum(PROVIDERS) }),
  z.object({ kind: z.literal("cancelled"), provider: z.enum(PROVIDERS) }),
]);

/** Outcome of an external sign-in that did not complete, stored for the page that shows it. */
export type ExternalOutcome = z.infer<typeof schema>;

/** Dependencies of storing an outcome. Inside a transaction, pass the transaction's store. */
type OutcomeDeps = { store: Store; clock: Clock; random: Random };

/** `uid`: the engine's interaction; `browser`: value of the browser cookie. */
type OutcomeKey = { uid: string; browser: string };

/** Stores the outcome of an external sign-in for this interaction; replaces an earlier one. */
export async function storeOutcome(
  { store, clock, random }: OutcomeDeps,
  { uid, browser }: OutcomeKey,
  outcome: ExternalOutcome,
): Promise<void> {
  const createdAt = clock.now();
  const seconds = outcome.kind === "choose" ? SELECTION_SECONDS : OTHER_OUTCOME_SECONDS;
  await issueOneTimeToken(store, {
    kind: "account-selection",
    slot: uid,
    tokenHash: hashToken(random.token()),
    browserHash: hashToken(browser),
    payload: outcome,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + seconds * 1000),
  });
}

/** Returns the last outcome for this interaction and browser, or null if there is none or it has expired. */
export async function findOutcome(
  { store, clock }: Pick<OutcomeDeps, "store" | "clock">,
  { uid, browser }: OutcomeKey,
): Promise<ExternalOutcome | null> {
  const row = await findOneTimeTokenOfSlot(store, { kind: "account-selection", slot: uid, now: clock.now() });
  if (row?.browserHash !== hashToken(browser)) return null;
  return schema.safeParse(row.payload).data ?? null;
}

/** Returns the last outcome with a new form token; invalidates the previous token. */
export async function renewOutcomeToken(
  { store, clock, random }: OutcomeDeps,
  { uid, browser }: OutcomeKey,
): Promise<{ outcome: ExternalOutcome; token: string } | null> {
  const token = random.token();
  const row = await renewOneTimeTokenOfSlot(store, {
    kind: "account-selection",
    slot: uid,
    browserHash: hashToken(browser),
    to: hashToken(token),
    now: clock.now(),
  });
  const outcome = schema.safeParse(row?.payload);
  return outcome.success ? { outcome: outcome.data, token } : null;
}

/** Returns the outcome of a form token, without consuming the token. */
export async function readOutcomeToken(
  { store, clock }: Pick<OutcomeDeps, "store" | "clock">,
  { uid, browser, token }: OutcomeKey & { token: string },
): Promise<ExternalOutcome | null> {
  const row = await findOneTimeTokenOfSlot(store, { kind: "account-selection", slot: uid, now: clock.now() });
  if (row?.browserHash !== hashToken(browser) || row.tokenHash !== hashToken(token)) return null;
  return schema.safeParse(row.payload).data ?? null;
}
