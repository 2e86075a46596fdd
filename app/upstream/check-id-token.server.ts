import type { IDToken } from "openid-client";
import { CLOCK_LEEWAY_SECONDS } from "#app/domain/external-account/identity.ts";
import type { Clock } from "#app/ports.ts";
import { UpstreamError } from "./upstream-error.ts";

/** Maximum age of an ID token. Some providers backdate `iat` by five minutes, for clients with a slow clock. */
const LONGEST_AGE_SECONDS = 5 * 60 + CLOCK_LEEWAY_SECONDS;

/** Maximum length of `sub` (OpenID Connect Core 1.0 §2). */
const LONGEST_SUBJECT = 255;

/**
 * Checks `iat`, `azp` (also beside a single audience) and `sub`, which openid-client does not fully check.
 * openid-client has checked signature, `iss`, `aud`, `exp`, `nbf` and `nonce` (OpenID Connect Core 1.0 §3.1.3.7).
 * @throws UpstreamError
 */
export function checkIdToken(claims: IDToken, { clientId, clock }: { clientId: string; clock: Clock }): void {
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
export function readAuthTime(claims: IDToken, clock: Clock): number | null {
  const { auth_time: authTime } = claims;
  const now = Math.floor(clock.now().getTime() / 1000);
  if (typeof authTime !== "number" || !Number.isFinite(authTime) || authTime < 0) return null;
  return authTime > now + CLOCK_LEEWAY_SECONDS ? null : Math.min(now, Math.floor(authTime));
}
