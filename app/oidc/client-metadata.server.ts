import { LRUCache } from "lru-cache";
import type { AllClientMetadata } from "oidc-provider";
import type { Client } from "#app/db/schema.server.ts";
import { isNativeClient } from "#app/domain/client/redirect-uri.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import type { SealedSecret } from "#app/ports.ts";

/** Opens a client's sealed secret. */
export type ClientSecrets = Pick<Secrets, "open">;

/** Our own properties of oidc-provider's client model. */
export const CLIENT_PROPERTIES = [
  "first_party",
  "access",
  "require_mfa",
  "allowed_scopes",
  "require_pkce",
  "confirm_account",
  "may_introspect",
  "refresh_leeway",
  "reg_hints",
] as const;

/** Capacity of the cache; an installation has far fewer confidential clients. */
const MAX_CACHED_SECRETS = 200;

/**
 * Converts a client row to client metadata (OpenID Connect Dynamic Client Registration 1.0 §2). Scopes are passed as
 * `allowed_scopes`, because oidc-provider rejects a request with a scope outside its own `scope` property at once.
 * @throws DomainError if the secret was sealed with a key that is not configured
 */
export async function clientMetadata(client: Client, secrets: ClientSecrets): Promise<AllClientMetadata> {
  // A resource server without redirect URI only introspects tokens.
  const signsIn = client.redirectUris.length > 0;
  const secret = client.sealedSecret ? await secrets.open("client-secret", client.sealedSecret) : null;
  return withoutEmpty({
    client_id: client.id,
    client_name: client.name,
    client_secret: secret,
    redirect_uris: client.redirectUris,
    post_logout_redirect_uris: client.postLogoutRedirectUris,
    // In a native application, loopback ports may vary (RFC 8252 §7.3).
    application_type: isNativeClient(client) ? "native" : "web",
    grant_types: signsIn ? ["authorization_code", "refresh_token"] : [],
    response_types: signsIn ? ["code"] : [],
    response_modes: client.responseModes,
    token_endpoint_auth_method: client.authMethod,
    id_token_signed_response_alg: client.idTokenAlg,
    client_uri: client.clientUri,
    policy_uri: client.policyUri,
    backchannel_logout_uri: client.backchannelLogoutUri,
    backchannel_logout_session_required: client.backchannelLogoutUri ? true : null,
    first_party: client.firstParty,
    access: client.access,
    require_mfa: client.requireMfa,
    allowed_scopes: client.scopes,
    require_pkce: client.requirePkce,
    confirm_account: client.confirmAccount,
    may_introspect: client.mayIntrospect,
    refresh_leeway: client.refreshLeeway,
    reg_hints: client.registrationUrl ? client.regHints : [],
  });
}

/** Caches opened secrets, because oidc-provider loads a client several times per request. */
export function cacheOpenedSecrets(secrets: ClientSecrets): ClientSecrets {
  const opened = new LRUCache<SealedSecret, string>({ max: MAX_CACHED_SECRETS });
  return {
    async open(purpose, sealed) {
      const secret = opened.get(sealed) ?? (await secrets.open(purpose, sealed));
      opened.set(sealed, secret);
      return secret;
    },
  };
}

function withoutEmpty(metadata: Record<string, unknown>): AllClientMetadata {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
}
