import type { AllClientMetadata } from "oidc-provider";
import type { Config } from "#app/config/config.ts";
import { ENGINE_ROUTES } from "./paths.ts";

type Site = Pick<Config, "issuer" | "productName">;

/** The client_id of the settings. The colon keeps administrators from registering it. */
export const SETTINGS_CLIENT_ID = "gatehouse:settings";

/** Path at which the settings open; also the client's redirect URI. */
export const SETTINGS_OPEN_PATH = "/manage/open";

/** Path of the start page, to which a sign-in without an application leads; also a redirect URI of the client. */
const START_PATH = "/";

/** Maximum age of the sign-in for opening the settings. */
const SETTINGS_MAX_AGE_SECONDS = 600;

/**
 * Returns the metadata of the client for the settings and the start page, which gets neither code nor token (OAuth 2.0 Multiple Response Type
 * Encoding Practices §4).
 */
export function settingsClientMetadata({ issuer, productName }: Site): AllClientMetadata {
  return {
    client_id: SETTINGS_CLIENT_ID,
    client_name: productName,
    redirect_uris: [issuer + SETTINGS_OPEN_PATH, issuer + START_PATH],
    response_types: ["none"],
    grant_types: [],
    token_endpoint_auth_method: "none",
    application_type: "web",
    first_party: true,
    access: "everyone",
    require_mfa: false,
    allowed_scopes: ["openid"],
    require_pkce: false,
    confirm_account: false,
    may_introspect: false,
    refresh_leeway: false,
    reg_hints: [],
  };
}

/** Returns the authorization URL that signs the user in for the start page, without a proof of identity. */
export function startSignInUrl({ issuer }: Pick<Config, "issuer">): string {
  const query = new URLSearchParams({
    client_id: SETTINGS_CLIENT_ID,
    redirect_uri: issuer + START_PATH,
    response_type: "none",
    scope: "openid",
  });
  return `${ENGINE_ROUTES.authorization}?${query}`;
}

/** Returns the authorization URL that signs the user in for the settings. `to` is returned as `state`. */
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
