import { z } from "zod";
import { PROVIDERS, type Provider } from "#app/config/providers.ts";
import {
  consumeOneTimeToken,
  findOneTimeToken,
  issueOneTimeToken,
  renewOneTimeToken,
} from "#app/db/repositories/one-time-tokens.server.ts";
import type { OneTimeToken } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { MINUTE_SECONDS } from "#app/durations.ts";
import type { Clock, Random, RequestMetadata, SealedSecret } from "#app/ports.ts";

/** Lifetime of an attempt: from the redirect to the provider until the callback. */
const ATTEMPT_SECONDS = 10 * MINUTE_SECONDS;

const holder = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("page"), pageSessionHash: z.string() }),
  z.object({ kind: z.literal("chain"), chainId: z.string(), pageSessionHash: z.string().nullable() }),
]);

const purpose = z.discriminatedUnion("kind", [
  /** Sign-in; `challenge` is the sealed `login_challenge`. */
  z.object({
    kind: z.literal("sign-in"),
    challenge: z.string(),
    /** Earliest acceptable sign-in at the provider, in seconds since the epoch; null when any is accepted. */
    provenSince: z.number().nullable().default(null),
  }),
  /** Connects the account at the provider to the account of the user in the settings. */
  z.object({
    kind: z.literal("connect"),
    userId: z.string(),
    generation: z.number(),
    holder,
    /** Client that opened the settings. */
    clientId: z.string().nullable(),
    /** URL to which the flow returns, on success and on failure. */
    returnTo: z.string(),
  }),
]);

/** Purpose of an attempt: a sign-in, or connecting an account in the settings. Stored as JSON. */
export type AttemptPurpose = z.infer<typeof purpose>;

const payload = z.object({
  provider: z.enum(PROVIDERS),
  nonce: z.string(),
  codeVerifier: z.string(),
  purpose,
  /** The form a provider posted, until the browser collects it; sealed, because it contains a code. */
  posted: z.custom<SealedSecret>((value) => typeof value === "string").nullable(),
});

const postedSchema = z.object({ parameters: z.string(), name: z.string().nullable() });

type Payload = z.infer<typeof payload>;

/** Dependencies of an attempt. Inside a transaction, pass the transaction's store. */
export type AttemptDeps = { store: Store; clock: Clock; random: Random; secrets: Secrets };

/** `state`, `nonce` and PKCE code verifier, which bind the authorization response to this attempt. */
type AttemptSecrets = { state: string; nonce: string; codeVerifier: string };

/** Generates the secrets of a new attempt, 256 random bits each. */
export function generateAttemptSecrets({ random }: Pick<AttemptDeps, "random">): AttemptSecrets {
  return { state: random.token(), nonce: random.token(), codeVerifier: random.token() };
}

/** Stores an attempt by its `state`, bound to the browser (OpenID Connect Core 1.0 §3.1.2.1). */
export async function storeAttempt(
  { store, clock }: Pick<AttemptDeps, "store" | "clock">,
  { state, nonce, codeVerifier }: AttemptSecrets,
  input: { provider: Provider; browser: string; purpose: AttemptPurpose; userId: string | null },
): Promise<void> {
  const { provider, browser, purpose, userId } = input;
  const createdAt = clock.now();
  const newPayload: Payload = { provider, nonce, codeVerifier, purpose, posted: null };
  await issueOneTimeToken(store, {
    kind: "external-attempt",
    tokenHash: hashToken(state),
    userId,
    browserHash: hashToken(browser),
    payload: newPayload,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + ATTEMPT_SECONDS * 1000),
  });
}

/**
 * Stores an authorization response that a provider posted cross-site, until the browser collects it with its cookie.
 * Replaces the `state` by a one-time id.
 * @param name the user's name, which the provider posts beside the code
 * @returns the one-time id for the browser, or null if no attempt has this `state`
 */
export async function storePosted(
  { store, clock, random, secrets }: AttemptDeps,
  { provider, parameters, name }: { provider: Provider; parameters: URLSearchParams; name: string | null },
): Promise<string | null> {
  const found = await findAttempt({ store, clock }, parameters.get("state") ?? "");
  if (!found || found.payload.provider !== provider || found.payload.posted !== null) return null;
  const id = random.token();
  const response: z.infer<typeof postedSchema> = { parameters: parameters.toString(), name };
  const posted = await secrets.seal("provider-answer", JSON.stringify(response));
  const renewed = await renewOneTimeToken(store, {
    kind: "external-attempt",
    from: found.row.tokenHash,
    to: hashToken(id),
    payload: { ...found.payload, posted },
    now: clock.now(),
  });
  return renewed && id;
}

type ConsumeDeps = AuditDeps & Pick<AttemptDeps, "secrets">;

/** A consumed attempt with the provider's response. `name`: the user's name that the provider posted beside it. */
export type ConsumedAttempt = AttemptSecrets & {
  purpose: AttemptPurpose;
  parameters: URLSearchParams;
  name: string | null;
};

/**
 * Consumes the attempt of an authorization response; of several simultaneous calls one succeeds. Returns null, and
 * keeps the attempt, if the `state` is unknown, used or expired, or belongs to another browser or provider.
 */
export async function consumeAttempt(
  context: ConsumeDeps,
  input: { provider: Provider; query: URLSearchParams; metadata: RequestMetadata },
): Promise<ConsumedAttempt | null> {
  const consumed = await consume(context, input);
  if (consumed) return consumed;
  const { browser: _browser, ...metadata } = input.metadata;
  const reason = `${input.provider}: state`;
  await recordEvent(context, { type: "provider.refused", outcome: "refused", reason, ...metadata });
  return null;
}

async function consume(
  { store, clock, secrets }: ConsumeDeps,
  { provider, query, metadata: { browser } }: Parameters<typeof consumeAttempt>[1],
): Promise<ConsumedAttempt | null> {
  const found = await findAttempt({ store, clock }, query.get("attempt") ?? query.get("state") ?? "");
  if (!found || found.payload.provider !== provider || found.row.browserHash !== hashToken(browser)) return null;
  const { nonce, codeVerifier, purpose, posted } = found.payload;
  const used = await consumeOneTimeToken(store, {
    kind: "external-attempt",
    tokenHash: found.row.tokenHash,
    now: clock.now(),
  });
  if (!used) return null;
  const response = posted && postedSchema.parse(JSON.parse(await secrets.open("provider-answer", posted)));
  const parameters = response ? new URLSearchParams(response.parameters) : query;
  const state = parameters.get("state") ?? "";
  return { state, nonce, codeVerifier, purpose, parameters, name: response?.name ?? null };
}

async function findAttempt(
  { store, clock }: Pick<AttemptDeps, "store" | "clock">,
  token: string,
): Promise<{ row: OneTimeToken; payload: Payload } | null> {
  const row = await findOneTimeToken(store, {
    kind: "external-attempt",
    tokenHash: hashToken(token),
    now: clock.now(),
  });
  const parsed = payload.safeParse(row?.payload);
  return row && parsed.success ? { row, payload: parsed.data } : null;
}
