import { authorizationCodeGrant, type IDToken } from "openid-client";
import type { Provider } from "#app/config/providers.ts";
import { lineSchema } from "#app/domain/base/line-schema.ts";
import {
  CLOCK_LEEWAY_SECONDS,
  type ExternalClaims,
  type ExternalIdentity,
} from "#app/domain/external-account/identity.ts";
import type { UpstreamCallback, UpstreamResult } from "#app/domain/external-account/upstream.ts";
import { MINUTE_SECONDS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";
import { PROVIDER_TRAITS, type ProviderTraits, type UpstreamProvider } from "./providers.server.ts";
import { reasonOf, UpstreamError } from "./upstream-error.server.ts";

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

/** Maximum age of an ID token. Some providers backdate `iat` by five minutes, for clients with a slow clock. */
const LONGEST_AGE_SECONDS = 5 * MINUTE_SECONDS + CLOCK_LEEWAY_SECONDS;

/** Maximum length of `sub` (OpenID Connect Core 1.0 §2). */
const LONGEST_SUBJECT = 255;

/**
 * Checks `iat`, `azp` (also beside a single audience) and `sub`, which openid-client does not fully check.
 * openid-client has checked signature, `iss`, `aud`, `exp`, `nbf` and `nonce` (OpenID Connect Core 1.0 §3.1.3.7).
 * @throws UpstreamError
 */
function checkIdToken(claims: IDToken, { clientId, clock }: { clientId: string; clock: Clock }): void {
  const age = clock.now().getTime() / 1000 - claims.iat;
  if (!Number.isFinite(age) || age < -CLOCK_LEEWAY_SECONDS || age > LONGEST_AGE_SECONDS) throw new UpstreamError("iat");
  if (claims.azp !== undefined && claims.azp !== clientId) throw new UpstreamError("azp");
  if (claims.sub.trim() === "" || claims.sub.length > LONGEST_SUBJECT || claims.sub.includes("\0")) {
    throw new UpstreamError("sub");
  }
}

/**
 * Returns the time of the sign-in at the provider, in seconds since 1970, at most the current time; null if `auth_time`
 * is missing, malformed or in the future.
 */
function readAuthTime(claims: IDToken, clock: Clock): number | null {
  const { auth_time: authTime } = claims;
  const now = Math.floor(clock.now().getTime() / 1000);
  if (typeof authTime !== "number" || !Number.isFinite(authTime) || authTime < 0) return null;
  return authTime > now + CLOCK_LEEWAY_SECONDS ? null : Math.min(now, Math.floor(authTime));
}

/** Maximum length of a name or an address, in characters; the same as for registration hints. */
const LONGEST_TEXT = 200;

const text = lineSchema(LONGEST_TEXT);

/** Returns the identity in a validated ID token. */
function identityOf(provider: Provider, claims: IDToken): ExternalIdentity {
  const name = parseLine(claims["email"]) ?? parseLine(claims["preferred_username"]) ?? parseLine(claims["name"]);
  return { provider, issuer: claims.iss, subject: claims.sub, name };
}

/** Returns the profile claims of a validated ID token. Apple sends `email_verified` as a string. */
function claimsOf(claims: IDToken): ExternalClaims {
  const email = parseLine(claims["email"]);
  const verified = claims["email_verified"];
  return {
    email,
    emailVerified: email !== null && (verified === true || verified === "true"),
    name: parseLine(claims["name"]),
    givenName: parseLine(claims["given_name"]),
    familyName: parseLine(claims["family_name"]),
  };
}

function parseLine(value: unknown): string | null {
  const parsed = text.safeParse(value);
  return parsed.success ? parsed.data : null;
}
