import { decodeJwt } from "jose";
import type { Interaction } from "oidc-provider";
import type { Store } from "#app/db/store.server.ts";
import { parseHints, type RegistrationHint } from "#app/domain/client/hints.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import type { Clock } from "#app/ports.ts";
import { type ClientView, findClientView } from "./client-view.server.ts";
import { findKeptRequest } from "./finished-interaction.server.ts";
import type { Oidc } from "./oidc.ts";
import { NOTICE_PROMPT } from "./policy.server.ts";
import { HINTS_PARAM } from "./registration-hints.server.ts";
import { demandsMfa } from "./requested-acr.server.ts";
import { type ChallengeKind, openChallenge } from "./seal.server.ts";
import { SETTINGS_CLIENT_ID } from "./settings-client.server.ts";

/** Dependencies of the functions on challenges. */
export type ChallengeDeps = { oidc: Oidc; store: Store; clock: Clock; secrets: Secrets };

/** An authorization request that waits for the user. */
export type OpenRequest = {
  uid: string;
  /** Prompt of the interaction; `reasons` are the names of the policy checks that requested it. */
  prompt: "login" | "select_account" | "password_notice" | "consent";
  reasons: string[];
  client: ClientView;
  redirectUri: string;
  loginHint: string | null;
  scopes: string[];
  /** User of the (already verified) `id_token_hint`; null without one. */
  hintedUserId: string | null;
  /** User of the session in which the request began. */
  sessionAccountId: string | null;
  /** True if the client requires two factors. */
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
 * (`rejected`: with an error), expired, or sealed to another browser; `uid` identifies the kept request.
 */
export type Challenge =
  | { kind: "open"; request: OpenRequest }
  | {
      kind: "closed";
      reason: "used" | "expired" | "foreign";
      rejected: boolean;
      uid: string;
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
  if (opened.sealedFor === "foreign") return findForeign(context, uid);
  const interaction = await findInteraction(context, uid);
  const client = interaction ? await findClientView(context.store, interaction.params.client_id) : null;
  if (interaction && client) return { kind: "open", request: openRequest(interaction, client) };
  return findClosed(context, uid);
}

/** Finds an open interaction, or null. */
export async function findInteraction({ oidc }: ChallengeDeps, uid: string): Promise<Interaction | null> {
  const provider = await oidc.provider();
  return (await provider.Interaction.find(uid)) ?? null;
}

async function findForeign(context: ChallengeDeps, uid: string): Promise<Challenge> {
  const kept = await findKeptRequest(context, uid);
  if (!kept || kept.used) return { kind: "missing" };
  const redirectUri = String(kept.params.redirect_uri);
  return { kind: "closed", reason: "foreign", rejected: false, uid, client: null, redirectUri };
}

async function findClosed(context: ChallengeDeps, uid: string): Promise<Challenge> {
  const kept = await findKeptRequest(context, uid);
  if (!kept) return { kind: "missing" };
  const client = await findClientView(context.store, kept.params.client_id);
  const redirectUri = String(kept.params.redirect_uri);
  const { used, rejected } = kept;
  return { kind: "closed", reason: used ? "used" : "expired", rejected, uid, client, redirectUri };
}

function openRequest(interaction: Interaction, client: ClientView): OpenRequest {
  const { params, prompt } = interaction;
  const isMfaDemanded = demandsMfa(params);
  const maxAgeSeconds = maxAgeOf(interaction);
  return {
    uid: interaction.uid,
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
export function hintedUserIdOf({ params }: Pick<Interaction, "params">): string | null {
  return typeof params.id_token_hint === "string" ? (decodeJwt(params.id_token_hint).sub ?? "") : null;
}

function promptOf(name: string): OpenRequest["prompt"] {
  return name === "consent" || name === "select_account" || name === NOTICE_PROMPT ? name : "login";
}

function maxAgeOf({ params, prompt }: Interaction): number | null {
  const isLoginPrompted = typeof params.prompt === "string" && params.prompt.split(" ").includes("login");
  // oidc-provider converts max_age=0 to prompt=login.
  if (isLoginPrompted || prompt.reasons.includes("login_prompt")) return 0;
  if (params.max_age === undefined) return null;
  return params.client_id === SETTINGS_CLIENT_ID ? 0 : Number(params.max_age);
}
