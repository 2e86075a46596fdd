import { decodeJwt } from "jose";
import type { InteractionResults } from "oidc-provider";
import { z } from "zod";
import { findRecord } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { parseHints, type RegistrationHint } from "#app/domain/client/hints.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import type { Clock } from "#app/ports.ts";
import { type ClientView, findClientView } from "./client-view.server.ts";
import { type KeptRequest, keptRequestOf } from "./finished-interaction.server.ts";
import { NO_ACCESS_PROMPT, NOTICE_PROMPT, OFFER_PROMPT } from "./interaction-policy.server.ts";
import type { Oidc } from "./oidc.ts";
import { HINTS_PARAM } from "./registration-hints.server.ts";
import { demandsMfa } from "./requested-acr.server.ts";
import { type ChallengeKind, type OpenedChallenge, openChallenge } from "./seal.server.ts";
import { type UnstoredInteraction, unsealInteraction } from "./sealed-interaction.server.ts";
import { SETTINGS_CLIENT_ID } from "./settings-client.server.ts";

/** Dependencies of the functions on challenges. */
export type ChallengeDeps = { oidc: Oidc; store: Store; clock: Clock; secrets: Secrets };

/** An interaction that waits for the user. `unstored`: the record to store with an answer, if only the challenge has it. */
export type OpenInteraction = z.output<typeof openSchema> & { uid: string; unstored: UnstoredInteraction | null };

const results = z.custom<InteractionResults>((value) => typeof value === "object");
const openSchema = z.object({
  returnTo: z.string(),
  params: z.record(z.string(), z.unknown()),
  prompt: z.object({ name: z.string(), reasons: z.array(z.string()), details: z.record(z.string(), z.unknown()) }),
  session: z.object({ uid: z.string(), accountId: z.string() }).optional(),
  grantId: z.string().optional(),
  lastSubmission: results.optional(),
  result: results.optional(),
});

/** An authorization request that waits for the user. */
export type OpenRequest = {
  uid: string;
  interaction: OpenInteraction;
  /** Prompt of the interaction; `reasons` are the names of the policy checks that requested it. */
  prompt: "login" | "select_account" | "password_notice" | "no_access" | "passkey_offer" | "consent";
  reasons: string[];
  client: ClientView;
  redirectUri: string;
  loginHint: string | null;
  scopes: string[];
  /** User of the (already verified) `id_token_hint`; null without one. */
  hintedUserId: string | null;
  /** User of the session in which the request began. */
  sessionAccountId: string | null;
  /** True if the client must have two factors, or requests them. */
  demandsMfa: boolean;
  /** True if a remembered device does not replace the second factor: with two factors, `prompt=login` or `max_age`. */
  demandsFreshFactor: boolean;
  /**
   * Maximum age of the sign-in in seconds (`max_age`); 0 if a new sign-in is required (`prompt=login`, the settings);
   * null for any age (OpenID Connect Core 1.0 §3.1.2.1).
   */
  maxAgeSeconds: number | null;
  /** True if this request was already signed in and oidc-provider prompts again. */
  wasSignedIn: boolean;
  /** URL that resumes the request; null until a result is stored. */
  resumeUrl: string | null;
  /** Registration hints that the client sent. */
  hints: RegistrationHint[];
};

/**
 * A challenge from a URL or a form. `closed`: the interaction can no longer be completed here, because it is used
 * (`rejected`: with an error), expired, or sealed to another browser. `kept`: the request, to restart it.
 */
export type Challenge =
  | { kind: "open"; request: OpenRequest; kept: KeptRequest | null }
  | {
      kind: "closed";
      reason: "used" | "expired" | "foreign";
      rejected: boolean;
      uid: string;
      kept: KeptRequest;
      client: ClientView | null;
      redirectUri: string;
    }
  | { kind: "missing" };

/**
 * Finds the request of a challenge for this browser. For a foreign challenge, not even the client is returned.
 * @param challenge as received; malformed values are `missing`
 */
export async function findChallenge(
  context: ChallengeDeps,
  { kind, challenge, browser }: { kind: ChallengeKind; challenge: string; browser: string },
): Promise<Challenge> {
  const opened = openChallenge(context.secrets, { kind, challenge, browser });
  if (!opened) return { kind: "missing" };
  const { uid } = opened;
  const { interaction, kept } = await findInteraction(context, opened);
  if (opened.sealedFor === "foreign") {
    return kept && !kept.used ? closed({ uid, kept, client: null }, "foreign") : MISSING;
  }
  const client = kept && (await findClientView(context.store, kept.params.client_id));
  if (interaction && client) return { kind: "open", request: openRequest(interaction, client), kept };
  return kept ? closed({ uid, kept, client }, kept.used ? "used" : "expired") : MISSING;
}

const MISSING: Challenge = { kind: "missing" };

function closed(
  { uid, kept, client }: { uid: string; kept: KeptRequest; client: ClientView | null },
  reason: "used" | "expired" | "foreign",
): Challenge {
  const { rejected, params } = kept;
  const isRejected = reason !== "foreign" && rejected;
  return { kind: "closed", reason, rejected: isRejected, uid, kept, client, redirectUri: String(params.redirect_uri) };
}

/** `interaction`: null if it is not open. `kept`: its request, open or not; null if nothing is kept. */
type FoundInteraction = { interaction: OpenInteraction | null; kept: KeptRequest | null };

/**
 * Finds an interaction: the stored one or, if none is stored, the one in the challenge. The stored one takes
 * precedence, because a challenge can be used again after the answer.
 */
export async function findInteraction(
  { store, clock, secrets }: ChallengeDeps,
  { uid, sealedInteraction }: Pick<OpenedChallenge, "uid" | "sealedInteraction">,
): Promise<FoundInteraction> {
  const row = await findRecord(store, "Interaction", uid);
  const unstored =
    !row && sealedInteraction ? await unsealInteraction(secrets, { uid, sealed: sealedInteraction }) : null;
  const found = row ?? (unstored && { ...unstored, consumedAt: null });
  if (!found) return { interaction: null, kept: null };
  const now = clock.now();
  const isOpen = found.consumedAt === null && found.expiresAt !== null && found.expiresAt > now;
  const interaction = isOpen ? { ...openSchema.parse(found.payload), uid, unstored } : null;
  return { interaction, kept: keptRequestOf(found, now) };
}

function openRequest(interaction: OpenInteraction, client: ClientView): OpenRequest {
  const { params, prompt } = interaction;
  const isMfaDemanded = client.requireMfa || demandsMfa(params);
  const maxAgeSeconds = maxAgeOf(interaction);
  return {
    uid: interaction.uid,
    interaction,
    prompt: promptOf(prompt.name),
    reasons: prompt.reasons,
    client,
    redirectUri: String(params.redirect_uri),
    loginHint: typeof params.login_hint === "string" ? params.login_hint : null,
    hintedUserId: hintedUserIdOf(interaction),
    scopes: typeof params.scope === "string" ? params.scope.split(" ") : [],
    sessionAccountId: interaction.session?.accountId ?? null,
    demandsMfa: isMfaDemanded,
    demandsFreshFactor: isMfaDemanded || maxAgeSeconds !== null,
    maxAgeSeconds,
    wasSignedIn: interaction.lastSubmission?.login !== undefined,
    resumeUrl: interaction.result === undefined ? null : interaction.returnTo,
    hints: client.registrationUrl ? parseHints(params[HINTS_PARAM]) : [],
  };
}

/** Returns the user of the (already verified) id_token_hint; null without one. */
export function hintedUserIdOf({ params }: Pick<OpenInteraction, "params">): string | null {
  return typeof params.id_token_hint === "string" ? (decodeJwt(params.id_token_hint).sub ?? "") : null;
}

function promptOf(name: string): OpenRequest["prompt"] {
  switch (name) {
    case "consent":
    case "select_account":
    case NOTICE_PROMPT:
    case NO_ACCESS_PROMPT:
    case OFFER_PROMPT:
      return name;
    default:
      return "login";
  }
}

function maxAgeOf({ params, prompt }: OpenInteraction): number | null {
  const isLoginPrompted = typeof params.prompt === "string" && params.prompt.split(" ").includes("login");
  // oidc-provider converts max_age=0 to prompt=login.
  if (isLoginPrompted || prompt.reasons.includes("login_prompt")) return 0;
  if (params.max_age === undefined) return null;
  return params.client_id === SETTINGS_CLIENT_ID ? 0 : Number(params.max_age);
}
