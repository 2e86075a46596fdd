import { z } from "zod";
import {
  findOneTimeTokenOfSlot,
  issueOneTimeToken,
  renewOneTimeTokenOfSlot,
} from "#app/db/repositories/one-time-tokens.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Clock, Random } from "#app/ports.ts";
import { PROVIDERS } from "./providers.ts";

/** For choosing an account. */
export const SELECTION_SECONDS = 10 * 60;

/** As long as the sign-in page that offers to register with these details. */
const OTHER_OUTCOME_SECONDS = 60 * 60;

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
  /** Several accounts open; one of exactly these can be chosen. */
  z.object({
    kind: z.literal("choose"),
    provider: z.enum(PROVIDERS),
    identity,
    userIds: z.array(z.string()),
    proof: z
      .object({ authTime: z.number().nullable(), provenSince: z.number().nullable() })
      .default({ authTime: null, provenSince: null }),
  }),
  /** None does. */
  z.object({ kind: z.literal("unknown"), provider: z.enum(PROVIDERS), identity, claims }),
  /** The sign-in at the provider is not recent enough for the request; `hasPassword`: the user can give that instead. */
  z.object({
    kind: z.literal("not recent"),
    provider: z.enum(PROVIDERS),
    username: z.string(),
    hasPassword: z.boolean(),
  }),
  /** The only one may not sign in. */
  z.object({ kind: z.literal("refused"), provider: z.enum(PROVIDERS) }),
  z.object({ kind: z.literal("failed"), provider: z.enum(PROVIDERS) }),
  z.object({ kind: z.literal("cancelled"), provider: z.enum(PROVIDERS) }),
]);

/** How an external sign-in ended that has signed nobody in (yet); its page reads it here, also when it is loaded again. */
export type ExternalOutcome = z.infer<typeof schema>;

/** What keeping it touches. Inside a transaction hand in the transaction's store. */
export type OutcomeDeps = { store: Store; clock: Clock; random: Random };

/** The request of the engine that a person is signing in for, and the browser they do it in. */
export type OutcomePlace = { uid: string; browser: string };

/** Keeps how an external sign-in of this request ended; an earlier outcome gives way to it. */
export async function keepOutcome(
  { store, clock, random }: OutcomeDeps,
  { uid, browser }: OutcomePlace,
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

/** How the last external sign-in of this request ended, in this browser; null when there is nothing to say (any more). */
export async function findOutcome(
  { store, clock }: Pick<OutcomeDeps, "store" | "clock">,
  { uid, browser }: OutcomePlace,
): Promise<ExternalOutcome | null> {
  const row = await findOneTimeTokenOfSlot(store, { kind: "account-selection", slot: uid, now: clock.now() });
  if (row?.browserHash !== hashToken(browser)) return null;
  return schema.safeParse(row.payload).data ?? null;
}

/** The same with a token that stands for it in the form of its page; an older one dies. */
export async function openOutcome(
  { store, clock, random }: OutcomeDeps,
  { uid, browser }: OutcomePlace,
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

/** What a token of that page stands for; the token stays. */
export async function readOutcomeToken(
  { store, clock }: Pick<OutcomeDeps, "store" | "clock">,
  { uid, browser, token }: OutcomePlace & { token: string },
): Promise<ExternalOutcome | null> {
  const row = await findOneTimeTokenOfSlot(store, { kind: "account-selection", slot: uid, now: clock.now() });
  if (row?.browserHash !== hashToken(browser) || row.tokenHash !== hashToken(token)) return null;
  return schema.safeParse(row.payload).data ?? null;
}
