import { errors, type Provider } from "oidc-provider";
import type { Logger } from "pino";
import { z } from "zod";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { type RequestSource, rememberConsent } from "#app/domain/consent/remembered.server.ts";
import { scopesOfClaims } from "#app/domain/scope/scopes.ts";
import { INVALID_SCOPE_PARAM } from "./allowed-scopes.server.ts";
import type { ChallengeDeps, OpenInteraction } from "./challenges.server.ts";
import { type ResultDeps, storeResult } from "./interaction-result.server.ts";
import { setGeneration } from "./session-generation.server.ts";

const missingSchema = z.object({
  missingOIDCScope: z.array(z.string()).default([]),
  missingOIDCClaims: z.array(z.string()).default([]),
});

/** Contents of a consent page. If `refusedScopes` is not empty, nothing can be granted. */
type ConsentRequest = { scopes: string[]; claims: string[]; refusedScopes: string[] };

/**
 * Grants an open consent request and remembers the consent, unless another result was stored first.
 * @param posted scopes of the form; must contain every scope shown, and others are ignored
 * @returns URL to redirect to, like acceptLogin
 * @throws DomainError "challenge" if the request belongs to another user or cannot be granted; "bad request" if a scope that was shown is missing
 */
export async function acceptConsent(
  context: ResultDeps & { log: Logger } & RequestSource,
  interaction: OpenInteraction,
  { accountId, generation, posted }: { accountId: string; generation: number; posted: string[] },
): Promise<string> {
  const consentRequest = readConsentRequest(interaction);
  if (interaction.session?.accountId !== accountId || consentRequest.refusedScopes.length > 0) {
    throw new DomainError("challenge", { detail: "the request belongs to another user, or cannot be granted" });
  }
  if (!consentRequest.scopes.every((scope) => scope === "openid" || posted.includes(scope))) {
    throw new DomainError("bad request", { detail: "a scope that was shown is missing in the form" });
  }
  const { grant, isNew } = await findGrant(context, interaction, { accountId, generation });
  extendGrant(grant, interaction, consentRequest);
  // A new grant has no effect until the stored result names it; an existing one is extended after that.
  const grantId = isNew ? await grant.save() : grant.jti;
  const grantedConsent = { userId: accountId, clientId: clientIdOf(interaction), ...withOpenid(consentRequest) };
  const { address, requestId } = context;
  const { isStored, location } = await context.store.tx(async (store) => {
    const stored = await storeResult({ ...context, store }, interaction, { consent: { grantId } });
    if (stored.isStored) await rememberConsent({ ...context, store }, grantedConsent, { address, requestId });
    return stored;
  });
  if (isStored && !isNew) await saveUnlessEnded(grant);
  if (!isStored && isNew) await grant.destroy();
  return location;
}

const REFUSED = { error: "access_denied", error_description: "the request was refused by the user" };

/**
 * Rejects an open consent request with `access_denied` (RFC 6749 §4.1.2.1), and records it unless another result was
 * stored first.
 * @returns URL to redirect to, like acceptLogin
 */
export async function rejectConsent(
  context: ResultDeps & AuditDeps & RequestSource,
  interaction: OpenInteraction,
  { userId }: { userId: string | null },
): Promise<string> {
  const { address, requestId } = context;
  const details = { userId, clientId: clientIdOf(interaction), address, requestId };
  return context.store.tx(async (store) => {
    const { isStored, location } = await storeResult({ ...context, store }, interaction, REFUSED);
    if (isStored) await recordEvent({ ...context, store }, { type: "consent.refused", outcome: "refused", ...details });
    return location;
  });
}

/** Returns the requested scopes and claims: all on prompt=consent, otherwise those not yet granted. */
export function readConsentRequest({ params, prompt }: OpenInteraction): ConsentRequest {
  const details = missingSchema.parse(prompt.details);
  const requested = typeof params.scope === "string" ? params.scope.split(" ") : [];
  const showsAll = prompt.reasons.includes("consent_prompt") || prompt.reasons.includes("native_client");
  const scopes = showsAll ? requested : requested.filter((scope) => details.missingOIDCScope.includes(scope));
  const refused = params[INVALID_SCOPE_PARAM];
  return {
    scopes: [...new Set([...scopes, ...scopesOfClaims(details.missingOIDCClaims)])],
    claims: details.missingOIDCClaims,
    refusedScopes: typeof refused === "string" ? refused.split(" ") : [],
  };
}

type Grant = InstanceType<Provider["Grant"]>;

async function findGrant(
  { oidc }: ChallengeDeps,
  interaction: OpenInteraction,
  { accountId, generation }: { accountId: string; generation: number },
): Promise<{ grant: Grant; isNew: boolean }> {
  const { Grant } = await oidc.provider();
  const existing = interaction.grantId ? await Grant.find(interaction.grantId) : undefined;
  if (existing) return { grant: existing, isNew: false };
  const grant = new Grant({ accountId, clientId: clientIdOf(interaction) });
  setGeneration(grant, generation);
  return { grant, isNew: true };
}

function extendGrant(grant: Grant, interaction: OpenInteraction, consentRequest: ConsentRequest): void {
  const requested = typeof interaction.params.scope === "string" ? interaction.params.scope.split(" ") : [];
  // Scopes shown for single claims were not requested as scopes: only their claims are granted.
  grant.addOIDCScope(
    withOpenid(consentRequest)
      .scopes.filter((scope) => requested.includes(scope))
      .join(" "),
  );
  if (consentRequest.claims.length > 0) grant.addOIDCClaims(consentRequest.claims);
}

/** Saves a grant unless it was revoked meanwhile; oidc-provider then prompts for consent again. */
async function saveUnlessEnded(grant: Grant): Promise<void> {
  try {
    await grant.save();
  } catch (error) {
    if (!(error instanceof errors.LoginRequired)) throw error;
  }
}

function withOpenid({ scopes, claims }: ConsentRequest): { scopes: string[]; claims: string[] } {
  return { scopes: [...new Set(["openid", ...scopes])], claims };
}

function clientIdOf({ params }: OpenInteraction): string {
  return String(params.client_id);
}

const DESCRIPTIONS = { invalid_scope: "requested scope is not allowed" } as const;

/**
 * Returns the redirect URI of a request with an error response, for a link (RFC 6749 §4.1.2.1, RFC 9207).
 * @returns null if the client uses response_mode=form_post, or no longer has the redirect URI
 */
export async function findErrorRedirect(
  context: ChallengeDeps,
  interaction: OpenInteraction,
  error: keyof typeof DESCRIPTIONS,
): Promise<string | null> {
  const { params } = interaction;
  if (params.response_mode === "form_post") return null;
  const { Client, issuer } = await context.oidc.provider();
  const client = await Client.find(clientIdOf(interaction));
  if (!client?.redirectUriAllowed(String(params.redirect_uri))) return null;
  const parameters = new URLSearchParams({ error, error_description: DESCRIPTIONS[error] });
  if (typeof params.state === "string") parameters.set("state", params.state);
  parameters.set("iss", issuer);
  const target = new URL(String(params.redirect_uri));
  if (params.response_mode === "fragment") {
    target.hash = parameters.toString();
    return target.href;
  }
  for (const [name, value] of parameters) target.searchParams.set(name, value);
  return target.href;
}
