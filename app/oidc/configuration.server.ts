import type { IncomingMessage } from "node:http";
import type { JWK } from "jose";
import { type Client, type Configuration, errors, type KoaContextWithOIDC } from "oidc-provider";
import type { Config } from "#app/config/config.ts";
import type { Store } from "#app/db/store.server.ts";
import { ACR_MFA, ACR_PASSWORD } from "#app/domain/engine-session/subject.server.ts";
import { SCOPES } from "#app/domain/scope/scopes.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { LANGUAGES } from "#app/i18n/language.ts";
import type { Clock } from "#app/ports.ts";
import { createAdapter } from "./adapter.server.ts";
import { INVALID_SCOPE_PARAM, restrictToRegistration } from "./allowed-scopes.server.ts";
import { fetchLogoutUri } from "./backchannel-logout.server.ts";
import { CLAIMS_BY_SCOPE, findAccount } from "./claims.server.ts";
import { CLIENT_PROPERTIES, cacheOpenedSecrets } from "./client-metadata.server.ts";
import { loadExistingGrant } from "./grants.server.ts";
import { createPolicy } from "./interaction-policy.server.ts";
import { interactionUrl } from "./interaction-url.server.ts";
import { SIGNING_ALGS } from "./keys.server.ts";
import { createLifetimes } from "./lifetimes.server.ts";
import { afterLogout, redirectToLogoutPage } from "./logout.server.ts";
import { INTROSPECTION_WITHHELD } from "./own-events.ts";
import { ENGINE_ROUTES } from "./paths.ts";
import { SEND_PKCE } from "./refusal.server.ts";
import { HINTS_PARAM, keepHints } from "./registration-hints.server.ts";
import { renderError } from "./render-error.server.ts";
import { requireSmallRequest } from "./request-limits.server.ts";
import { requireRegisteredRedirectUri } from "./resume.server.ts";
import { generationOf, setGeneration } from "./session-generation.server.ts";

/**
 * Dependencies of the configuration. `browserOf` returns the browser cookie of a request that passed the middleware,
 * `addressOf` the client's address, `hasPasskeyDevice` if the browser reported a device for a passkey, `requestIdOf` the
 * id of its log lines. `requireStorable` throws StorageRefused if the address has stored too many requests.
 */
type EngineDeps = {
  config: Config;
  store: Store;
  clock: Clock;
  secrets: Secrets;
  jwks: JWK[];
  browserOf: (request: IncomingMessage) => string;
  addressOf: (request: IncomingMessage) => string;
  hasPasskeyDevice: (request: IncomingMessage) => boolean;
  requestIdOf: (request: IncomingMessage) => string;
  requireStorable: (request: IncomingMessage) => Promise<void>;
};

/** Creates oidc-provider's configuration, as far as it differs from the defaults. */
export function createConfiguration(deps: EngineDeps): Configuration {
  const { config, store, clock, secrets } = deps;
  const clientSecrets = cacheOpenedSecrets(secrets);
  return {
    adapter: (model) => createAdapter({ store, clock, config, secrets: clientSecrets }, model),
    jwks: { keys: deps.jwks },
    routes: ENGINE_ROUTES,
    cookies: cookies(config, secrets),
    ttl: createLifetimes(() => clock.now()),
    findAccount: (ctx, userId, token) => findAccount({ store, config }, { userId, token, client: ctx.oidc.client }),
    loadExistingGrant: (ctx) => loadExistingGrant({ store, clock }, ctx),
    interactions: {
      policy: createPolicy(deps),
      url: (ctx, interaction) => interactionUrl(deps, ctx, interaction),
    },
    renderError: (ctx, out, error) => renderError(deps, ctx, out, error),
    features: features(),

    scopes: SCOPES.map((scope) => scope.id),
    claims: { ...CLAIMS_BY_SCOPE, sid: null, iss: null },
    acrValues: [ACR_PASSWORD, ACR_MFA],
    subjectTypes: ["public"],
    // "none" is for the settings client, which gets no token; all others are registered with "code".
    responseTypes: ["code", "none"],
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "client_secret_jwt", "none"],
    enabledJWA: {
      idTokenSigningAlgValues: [...SIGNING_ALGS],
      clientAuthSigningAlgValues: ["HS256"],
    },
    discovery: { ui_locales_supported: [...LANGUAGES], claims_locales_supported: undefined },
    extraClientMetadata: { properties: [...CLIENT_PROPERTIES] },
    extraParams: [INVALID_SCOPE_PARAM, HINTS_PARAM],

    pkce: { required: requirePkce },
    fetch: fetchLogoutUri,
    allowOmittingSingleRegisteredRedirectUri: false,
    rotateRefreshToken: () => true,
    issueRefreshToken: async (_ctx, client, code) => issuesRefreshToken(client, code.scopes),
    expiresWithSession: async (ctx, code) => {
      // Called for each code before it is stored: copies the generation of the session to the code.
      if (ctx.oidc.session) setGeneration(code, generationOf(ctx.oidc.session));
      return !isOffline(code.scopes);
    },
    // URIs with a private-use scheme have the opaque origin "null", as has every sandboxed page.
    clientBasedCORS: (ctx, origin, client) =>
      origin !== "null" &&
      (ctx.oidc.route === "userinfo" || client.clientAuthMethod === "none") &&
      (client.redirectUris ?? []).some((uri) => URL.canParse(uri) && new URL(uri).origin === origin),
  };
}

/**
 * Requires PKCE, for confidential clients too, unless an administrator exempted the client (RFC 9700 §2.1.1).
 * oidc-provider calls it for requests without `code_challenge` only, and its own error does not name the parameter.
 * @throws InvalidRequest
 */
function requirePkce(_ctx: KoaContextWithOIDC, client: Client): boolean {
  if (client.require_pkce === false) return false;
  throw new errors.InvalidRequest(`code_challenge is missing: this server requires PKCE; ${SEND_PKCE}`);
}

/** Returns true if the client gets a refresh token for these granted scopes. */
export function issuesRefreshToken(client: Client, scopes: ReadonlySet<string>): boolean {
  return client.grantTypeAllowed("refresh_token") && isOffline(scopes);
}

/** Returns true for offline_access (OpenID Connect Core 1.0 §11) or `offline` (needs no prompt=consent). */
function isOffline(scopes: ReadonlySet<string>): boolean {
  return scopes.has("offline_access") || scopes.has("offline");
}

/** Allows a client its own tokens. For other tokens, public clients get no error (RFC 7009 §2.1). */
function mayRevoke(client: Client, token: { clientId?: string | undefined }): boolean {
  if (token.clientId === client.clientId) return true;
  if (client.clientAuthMethod === "none") return false;
  throw new errors.InvalidRequest("client is not authorized to revoke the presented token");
}

/**
 * Allows a client to introspect its own tokens, and a resource server (`may_introspect`) all access tokens. A refresh
 * token is inactive for every other client, so that a resource server that reads only `active` does not accept it as an
 * access token (RFC 7662 §2.1, §4).
 */
function mayIntrospect(
  ctx: KoaContextWithOIDC,
  client: Client,
  token: { kind: string; clientId?: string | undefined },
): boolean {
  if (token.clientId === client.clientId) return true;
  const isAllowed = client.may_introspect === true && token.kind !== "RefreshToken";
  if (!isAllowed) ctx.oidc.provider.emit(INTROSPECTION_WITHHELD, ctx, token);
  return isAllowed;
}

function features(): NonNullable<Configuration["features"]> {
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    claimsParameter: { enabled: true },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => mayRevoke(client, token) },
    introspection: { enabled: true, allowedPolicy: async (ctx, client, token) => mayIntrospect(ctx, client, token) },
    backchannelLogout: { enabled: true },
    rpInitiatedLogout: { enabled: true, logoutSource: redirectToLogoutPage, postLogoutSuccessSource: afterLogout },
    // Tokens are only for this provider's own endpoints; `defaultResource` is used as a hook (RFC 8707 §2).
    resourceIndicators: {
      enabled: true,
      defaultResource: (ctx) => {
        requireSmallRequest(ctx);
        requireRegisteredRedirectUri(ctx);
        keepHints(ctx);
        return restrictToRegistration(ctx);
      },
      getResourceServerInfo: () => {
        throw new errors.InvalidTarget();
      },
    },
  };
}

function cookies(config: Config, secrets: Secrets): NonNullable<Configuration["cookies"]> {
  const secure = config.issuer.startsWith("https:");
  return {
    keys: secrets.cookieKeys,
    names: {
      // On https the prefixes keep other hosts of the domain and http pages from setting these cookies (RFC 6265bis
      // §4.1.3). The short cookies have their own paths, so they cannot use __Host-.
      session: secure ? "__Host-gatehouse_session" : "gatehouse_session",
      interaction: secure ? "__Secure-gatehouse_interaction" : "gatehouse_interaction",
      resume: secure ? "__Secure-gatehouse_resume" : "gatehouse_resume",
    },
    long: { httpOnly: true, sameSite: "lax", path: "/", secure, signed: true },
    short: { httpOnly: true, sameSite: "lax", secure, signed: true },
  };
}
