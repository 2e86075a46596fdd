import type { IDToken } from "openid-client";
import { CLOCK_LEEWAY_SECONDS } from "#app/domain/external-account/identity.ts";
import type { Clock } from "#app/ports.ts";
import { UpstreamError } from "./upstream-error.ts";

/** The token was made for this very call. Some providers date it five minutes back, against clocks that are slow. */
const LONGEST_AGE_SECONDS = 5 * 60 + CLOCK_LEEWAY_SECONDS;

/** Longer than any provider's; what is longer was not meant for a key column. OpenID Connect Core 1.0 section 2. */
const LONGEST_SUBJECT = 255;

/**
 * Checks what openid-client leaves open (OpenID Connect Core 1.0 section 3.1.3.7): the time it was made, `azp` also beside
 * a single audience, a subject at all. Signature, `iss`, `aud`, `exp`, `nbf` and `nonce` it has checked.
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
 * When the person signed in at the provider, in seconds since 1970 and never later than now; null where the ID token does
 * not say, or names a time to come.
 */
export function readAuthTime(claims: IDToken, clock: Clock): number | null {
  const { auth_time: authTime } = claims;
  const now = Math.floor(clock.now().getTime() / 1000);
  if (typeof authTime !== "number" || !Number.isFinite(authTime) || authTime < 0) return null;
  return authTime > now + CLOCK_LEEWAY_SECONDS ? null : Math.min(now, Math.floor(authTime));
}
