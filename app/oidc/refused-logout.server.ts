import type { KoaContextWithOIDC } from "oidc-provider";
import { chosenLanguage } from "./interaction-url.server.ts";
import { ENGINE_ROUTES } from "./paths.ts";

/** Parameter of the logout request that replaces a refused one. */
const REFUSED_PARAMETER = "refused";

/**
 * Returns the URL of a logout request that replaces a refused one: it asks the user for confirmation, and redirects to
 * no application. Only a registered client and the language are taken over.
 */
export function replacementOfRefusedLogout(ctx: KoaContextWithOIDC): string {
  const query = new URLSearchParams({ [REFUSED_PARAMETER]: "yes" });
  const { client, params } = ctx.oidc;
  if (client) query.set("client_id", client.clientId);
  const language = chosenLanguage(ctx, params?.ui_locales);
  if (language) query.set("ui_locales", language);
  return `${ENGINE_ROUTES.end_session}?${query}`;
}

/** Returns true for a logout request that replaces a refused one. Anyone can send it; it only changes a text. */
export function replacesRefusedLogout({ oidc, query }: KoaContextWithOIDC): boolean {
  return query[REFUSED_PARAMETER] !== undefined && oidc.params?.post_logout_redirect_uri === undefined;
}
