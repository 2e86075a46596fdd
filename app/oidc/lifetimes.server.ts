import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import { SESSION_IDLE_SECONDS, SESSION_MAX_SECONDS } from "#app/domain/session/policy.ts";

/** Lives of what the engine issues, in seconds (docs/security.md states the same). */
export const LIFETIMES = {
  accessToken: 10 * 60,
  authorizationCode: 60,
  idToken: 10 * 60,
  interaction: 60 * 60,
  refreshToken: 30 * 24 * 60 * 60,
} as const;

/** The engine's `ttl` configuration. */
export function createLifetimes(now: () => Date): NonNullable<Configuration["ttl"]> {
  const nowSeconds = () => Math.floor(now().getTime() / 1000);
  return {
    AccessToken: () => LIFETIMES.accessToken,
    AuthorizationCode: () => LIFETIMES.authorizationCode,
    IdToken: () => LIFETIMES.idToken,
    Interaction: () => LIFETIMES.interaction,
    // As long as the refresh token that may be built on it.
    Grant: () => LIFETIMES.refreshToken + SESSION_MAX_SECONDS,
    RefreshToken: remainingOfFirstIssue,
    // The engine saves the whole life again on every visit: idle time from now, but never past the sign-in's own end.
    Session: (_ctx, session) => {
      const endsIn = session.loginTs ? session.loginTs + SESSION_MAX_SECONDS - nowSeconds() : SESSION_IDLE_SECONDS;
      return Math.max(1, Math.min(SESSION_IDLE_SECONDS, endsIn));
    },
  };
}

/** Whether a sign-in at this time (seconds since 1970) is too long ago for a session; the engine alone would be lenient. */
export function isOver(loginTs: number | undefined, now: Date): boolean {
  return loginTs !== undefined && loginTs + SESSION_MAX_SECONDS <= now.getTime() / 1000;
}

/** A rotated refresh token ends when the first of its family would have. */
function remainingOfFirstIssue(ctx: KoaContextWithOIDC): number {
  const rotated = ctx?.oidc?.entities.RotatedRefreshToken;
  return rotated ? Math.max(1, rotated.remainingTTL) : LIFETIMES.refreshToken;
}
