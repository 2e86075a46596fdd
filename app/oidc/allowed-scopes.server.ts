import type { Client, KoaContextWithOIDC } from "oidc-provider";
import { z } from "zod";
import { refusedClaims, refusedScopes } from "#app/domain/scope/scopes.ts";
import { OFFLINE_ACCESS_DROPPED, SCOPES_REFUSED } from "./own-events.ts";
import { sentParameters } from "./sent-parameters.server.ts";

/**
 * Request parameter that holds refused scopes until the consent prompt. It is never cleared; a client that sends it
 * only makes its own request fail.
 */
export const INVALID_SCOPE_PARAM = "gatehouse_refused_scope";

/** The claims parameter (OpenID Connect Core 1.0 §5.5), already validated by oidc-provider. */
const claimsParameter = z.looseObject({
  userinfo: z.record(z.string(), z.unknown()).optional(),
  id_token: z.record(z.string(), z.unknown()).optional(),
});

/**
 * Restricts a request to the client's registration. Scopes that are not allowed are recorded, to be shown to the user;
 * single claims of such scopes are removed. Runs as the `defaultResource` hook, the last one before oidc-provider drops
 * unknown scopes.
 */
export async function restrictToRegistration(ctx: KoaContextWithOIDC): Promise<undefined> {
  const { params, client } = ctx.oidc;
  if (!params) return undefined;
  const allowed = allowedScopes(client);
  if (typeof params.scope === "string") {
    const refused = refusedScopes(params.scope.split(" ").filter(Boolean), allowed);
    if (refused.length > 0) params[INVALID_SCOPE_PARAM] = refused.join(" ");
  }
  if (typeof params.claims === "string") params.claims = withoutRefused(params.claims, allowed);
  reportScopes(ctx);
  return undefined;
}

/** Emits, once per request, that scopes are refused, or that oidc-provider has dropped `offline_access` silently. */
function reportScopes(ctx: KoaContextWithOIDC): void {
  const { params, provider } = ctx.oidc;
  const sent = sentParameters(ctx);
  if (!params || sent === null) return;
  if (params[INVALID_SCOPE_PARAM] !== undefined) provider.emit(SCOPES_REFUSED, ctx);
  const hasOffline = (scope: unknown) => typeof scope === "string" && scope.split(" ").includes("offline_access");
  if (hasOffline(sent.scope) && !hasOffline(params.scope)) provider.emit(OFFLINE_ACCESS_DROPPED, ctx);
}

function allowedScopes(client: Client | undefined): string[] {
  return Array.isArray(client?.allowed_scopes) ? client.allowed_scopes.map(String) : [];
}

function withoutRefused(parameter: string, allowed: string[]): string {
  const { userinfo, id_token, ...rest } = claimsParameter.parse(JSON.parse(parameter));
  const kept = (claims: Record<string, unknown>) => {
    const refused = refusedClaims(Object.keys(claims), allowed);
    return Object.fromEntries(Object.entries(claims).filter(([claim]) => !refused.includes(claim)));
  };
  return JSON.stringify({
    ...rest,
    ...(userinfo ? { userinfo: kept(userinfo) } : {}),
    ...(id_token ? { id_token: kept(id_token) } : {}),
  });
}
