import { type ChallengeDeps, findInteraction } from "./challenges.server.ts";

const DESCRIPTIONS = { invalid_scope: "requested scope is not allowed" } as const;

/**
 * Returns the redirect URI of an open request with an error response, for a link (RFC 6749 §4.1.2.1, RFC 9207).
 * @returns null if the client uses response_mode=form_post, or the request is not open
 */
export async function findErrorRedirect(
  context: ChallengeDeps,
  uid: string,
  error: keyof typeof DESCRIPTIONS,
): Promise<string | null> {
  const params = (await findInteraction(context, uid))?.params;
  if (!params || params.response_mode === "form_post") return null;
  const parameters = new URLSearchParams({ error, error_description: DESCRIPTIONS[error] });
  if (typeof params.state === "string") parameters.set("state", params.state);
  parameters.set("iss", (await context.oidc.provider()).issuer);
  const target = new URL(String(params.redirect_uri));
  if (params.response_mode === "fragment") {
    target.hash = parameters.toString();
    return target.href;
  }
  for (const [name, value] of parameters) target.searchParams.set(name, value);
  return target.href;
}
