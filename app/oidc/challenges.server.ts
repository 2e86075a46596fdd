import type { Interaction } from "oidc-provider";
import type { Store } from "#app/db/store.server.ts";
import { parseHints, type RegistrationHint } from "#app/domain/registration/hints.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import type { Clock } from "#app/ports.ts";
import { demandsMfa } from "./acr-demand.server.ts";
import { type ClientView, findClientView } from "./client-view.server.ts";
import { findKeptRequest } from "./kept-interaction.server.ts";
import type { Oidc } from "./oidc.ts";
import { SETTINGS_CLIENT_ID } from "./own-client.server.ts";
import { NOTICE_PROMPT } from "./policy.server.ts";
import { HINTS_PARAM } from "./registration-hints.server.ts";
import { type ChallengeKind, openChallenge } from "./seal.server.ts";

/** What every function on challenges needs. */
export type ChallengeDeps = { oidc: Oidc; store: Store; clock: Clock; secrets: Secrets };

/** An authorization request that waits for the person. */
export type OpenRequest = {
  uid: string;
  /** Which question the engine asks, and why: names of its policy's checks. */
  prompt: "login" | "select_account" | "password_notice" | "consent";
  reasons: string[];
  client: ClientView;
  redirectUri: string;
  loginHint: string | null;
  scopes: string[];
  /** The person whose session the request started with. */
  sessionAccountId: string | null;
  /** The application wants two factors, whatever the person's account asks for. */
  demandsMfa: boolean;
  /**
   * How many seconds ago the user may have signed in at most (`max_age`), 0 for a sign-in of now (`prompt=login`, and the
   * login settings); null for any time. OpenID Connect Core 1.0 section 3.1.2.1.
   */
  maxAgeSeconds: number | null;
  /** A sign-in was already finished for this request, and the engine asks again. */
  signedInAlready: boolean;
  /** The engine's address that goes on with the stored answer, null while there is none. */
  answeredUrl: string | null;
  /** What the application said of a person who may want an account. */
  hints: RegistrationHint[];
};

/**
 * A challenge as it comes from an address or a form. `closed`: the request can no longer be answered here:
 * it is used up (`rejected`: by a refusal), out of time, or was made for another browser; `uid` leads to what is kept of it.
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
 * Finds the request behind a challenge for this browser. Nothing of a foreign request is told, not even its client.
 * @param challenge as sent; anything that is not a challenge is `missing`
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

/** The engine's own record of an open interaction, or null. */
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
  return {
    uid: interaction.uid,
    prompt: promptOf(prompt.name),
    reasons: prompt.reasons,
    client,
    redirectUri: String(params.redirect_uri),
    loginHint: typeof params.login_hint === "string" ? params.login_hint : null,
    scopes: typeof params.scope === "string" ? params.scope.split(" ") : [],
    sessionAccountId: interaction.session?.accountId ?? null,
    demandsMfa: demandsMfa(params),
    maxAgeSeconds: maxAgeOf(interaction),
    signedInAlready: interaction.lastSubmission?.login !== undefined,
    answeredUrl: interaction.result === undefined ? null : interaction.returnTo,
    hints: client.registrationUrl ? parseHints(params[HINTS_PARAM]) : [],
  };
}

function promptOf(name: string): OpenRequest["prompt"] {
  return name === "consent" || name === "select_account" || name === NOTICE_PROMPT ? name : "login";
}

function maxAgeOf({ params, prompt }: Interaction): number | null {
  const wantsNow = typeof params.prompt === "string" && params.prompt.split(" ").includes("login");
  // The engine turns max_age=0 into the prompt.
  if (wantsNow || prompt.reasons.includes("login_prompt")) return 0;
  if (params.max_age === undefined) return null;
  return params.client_id === SETTINGS_CLIENT_ID ? 0 : Number(params.max_age);
}
