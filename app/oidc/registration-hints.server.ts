import type { KoaContextWithOIDC } from "oidc-provider";
import { pickHints } from "#app/domain/registration/hints.ts";

/** The request parameter that carries the hints from the request to the sign-in form, as JSON; nobody can send it. */
export const HINTS_PARAM = "gatehouse_reg_hints";

/**
 * Keeps the hints of an authorization request, `reg_hints[key]=value`, with its other parameters: those that its client
 * declares. They are collected where they come in, from the query or from a pushed request, and never after that.
 */
export function keepHints({ oidc, query }: KoaContextWithOIDC): void {
  const { params, client, route } = oidc;
  const sent = route === "authorization" ? query : oidc.body;
  const isPushed = oidc.entities.PushedAuthorizationRequest !== undefined;
  const isNew = (route === "authorization" && !isPushed) || route === "pushed_authorization_request";
  if (!params || !isNew) return;
  const declared = Array.isArray(client?.reg_hints) ? client.reg_hints.map(String) : [];
  const hints = pickHints(declared, (key) => sent?.[`reg_hints[${key}]`]);
  params[HINTS_PARAM] = hints.length > 0 ? JSON.stringify(hints) : undefined;
}
