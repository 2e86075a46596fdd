import { authorizationCodeGrant } from "openid-client";
import type { UpstreamCallback, UpstreamResult } from "#app/domain/external-account/upstream.ts";
import type { Clock } from "#app/ports.ts";
import { checkIdToken, readAuthTime } from "./check-id-token.server.ts";
import { claimsOf, identityOf } from "./identity.server.ts";
import { PROVIDER_TRAITS, type ProviderTraits, type UpstreamProvider } from "./providers.server.ts";
import { reasonOf } from "./reason-of.server.ts";
import { UpstreamError } from "./upstream-error.ts";

/**
 * Error codes for a sign-in that the user did not complete at the provider (RFC 6749 §4.1.2.1, OpenID Connect Core 1.0
 * §3.1.2.6). The sign-in form is shown again.
 */
const CANCELLED_ERRORS: readonly string[] = [
  "access_denied",
  "login_required",
  "consent_required",
  "interaction_required",
  "account_selection_required",
];

/**
 * Exchanges the code and validates the ID token: signature with the expected algorithm, `iss`, `aud`, `azp`, `exp`,
 * `nbf`, `iat`, `nonce`, `sub` (OpenID Connect Core 1.0 §3.1.3.7).
 */
export async function finishUpstream(
  { provider, clock }: { provider: UpstreamProvider; clock: Clock },
  { parameters, state, nonce, codeVerifier }: UpstreamCallback,
): Promise<UpstreamResult> {
  const { cancelledError }: ProviderTraits = PROVIDER_TRAITS[provider.name];
  const error = parameters.get("error");
  if (error !== null && (CANCELLED_ERRORS.includes(error) || error === cancelledError)) return { kind: "cancelled" };
  try {
    const configuration = await provider.discover();
    await provider.authentication.renew();
    const url = new URL(provider.redirectUri);
    url.search = parameters.toString();
    const tokens = await authorizationCodeGrant(configuration, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new UpstreamError("no id token");
    checkIdToken(claims, { clientId: provider.clientId, clock });
    const identity = identityOf(provider.name, claims);
    return { kind: "identified", identity, claims: claimsOf(claims), authTime: readAuthTime(claims, clock) };
  } catch (failure) {
    return { kind: "failed", reason: reasonOf(failure) };
  }
}
