import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import { SESSION_IDLE_SECONDS, SESSION_MAX_SECONDS, sessionStart } from "#app/domain/engine-session/lifetime.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "#app/durations.ts";
import { signedInAtOf } from "./session-generation.server.ts";

/** Lifetimes in seconds (also stated in docs/security.md). */
export const LIFETIMES = {
  accessToken: 10 * MINUTE_SECONDS,
  authorizationCode: MINUTE_SECONDS,
  idToken: 10 * MINUTE_SECONDS,
  interaction: HOUR_SECONDS,
  refreshToken: 30 * DAY_SECONDS,
} as const;

/** Creates oidc-provider's `ttl` configuration. */
export function createLifetimes(now: () => Date): NonNullable<Configuration["ttl"]> {
  const nowSeconds = () => Math.floor(now().getTime() / 1000);
  return {
    AccessToken: () => LIFETIMES.accessToken,
    AuthorizationCode: () => LIFETIMES.authorizationCode,
    IdToken: () => LIFETIMES.idToken,
    Interaction: () => LIFETIMES.interaction,
    // Covers the lifetime of refresh tokens issued under the grant.
    Grant: () => LIFETIMES.refreshToken + SESSION_MAX_SECONDS,
    RefreshToken: remainingOfFirstIssue,
    // oidc-provider sets the lifetime at each visit: the idle time, limited by the end of the sign-in.
    Session: (_ctx, session) => {
      const start = startOf(session);
      const endsIn = start ? start + SESSION_MAX_SECONDS - nowSeconds() : SESSION_IDLE_SECONDS;
      return Math.max(1, Math.min(SESSION_IDLE_SECONDS, endsIn));
    },
  };
}

/** Returns true if the session's sign-in exceeds the maximum age, which oidc-provider does not check. */
export function exceedsMaxAge(session: { loginTs?: number | undefined }, now: Date): boolean {
  const start = startOf(session);
  return start !== undefined && start + SESSION_MAX_SECONDS <= now.getTime() / 1000;
}

function startOf(session: { loginTs?: number | undefined }): number | undefined {
  return sessionStart({ loginTs: session.loginTs, signedInAt: signedInAtOf(session) ?? undefined });
}

/** A rotated refresh token expires with the first one of its family. */
function remainingOfFirstIssue(ctx: KoaContextWithOIDC): number {
  const rotated = ctx?.oidc?.entities.RotatedRefreshToken;
  return rotated ? Math.max(1, rotated.remainingTTL) : LIFETIMES.refreshToken;
}
