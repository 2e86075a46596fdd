import type { AllClientMetadata } from "oidc-provider";
import type { Config } from "#app/config/config.ts";
import { ENGINE_ROUTES } from "./paths.ts";

type Site = Pick<Config, "issuer" | "productName">;

/** The client_id under which the login settings ask who somebody is. No administrator can register it: it has a colon. */
export const SETTINGS_CLIENT_ID = "gatehouse:settings";

/** Path at which the settings open, which is also the redirect URI of their client. */
export const SETTINGS_OPEN_PATH = "/manage/open";

/** A sign-in that is older than this has to be repeated before the settings open. */
export const SETTINGS_MAX_AGE_SECONDS = 600;

/**
 * The login settings as an application of their own: they learn that somebody has signed in, and get neither code nor
 * token (OAuth 2.0 Multiple Response Type Encoding Practices section 4).
 */
export function settingsClientMetadata({ issuer, productName }: Site): AllClientMetadata {
  return {
    client_id: SETTINGS_CLIENT_ID,
    client_name: productName,
    redirect_uris: [issuer + SETTINGS_OPEN_PATH],
    response_types: ["none"],
    grant_types: [],
    token_endpoint_auth_method: "none",
    application_type: "web",
    first_party: true,
    allowed_scopes: ["openid"],
    require_pkce: false,
    confirm_account: false,
    may_introspect: false,
    refresh_leeway: false,
    reg_hints: [],
  };
}

/** Where the browser goes to prove who is sitting at it. `to` comes back as `state`. */
export function proveIdentityUrl({ issuer }: Site, { to, username }: { to: string; username: string | null }): string {
  const query = new URLSearchParams({
    client_id: SETTINGS_CLIENT_ID,
    redirect_uri: issuer + SETTINGS_OPEN_PATH,
    response_type: "none",
    scope: "openid",
    max_age: String(SETTINGS_MAX_AGE_SECONDS),
    state: to,
    ...(username === null ? {} : { login_hint: username }),
  });
  return `${ENGINE_ROUTES.authorization}?${query}`;
}
