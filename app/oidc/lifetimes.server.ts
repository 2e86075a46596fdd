import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import { SESSION_IDLE_SECONDS, SESSION_MAX_SECONDS, sessionStart } from "#app/domain/session/policy.ts";
import { signedInAtOf } from "./session-generation.server.ts";

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
      const start = startOf(session);
      const endsIn = start ? start + SESSION_MAX_SECONDS - nowSeconds() : SESSION_IDLE_SECONDS;
      return Math.max(1, Math.min(SESSION_IDLE_SECONDS, endsIn));
    },
  };
}

/** Whether the sign-in of this session is too long ago; the engine alone would be lenient. */
export function isOver(session: { loginTs?: number | undefined }, now: Date): boolean {
  const start = startOf(session);
  return start !== undefined && start + SESSION_MAX_SECONDS <= now.getTime() / 1000;
}

function startOf(session: { loginTs?: number | undefined }): number | undefined {
  return sessionStart({ loginTs: session.loginTs, signedInAt: signedInAtOf(session) ?? undefined });
}

/** A rotated refresh token ends when the first of its family would have. */
function remainingOfFirstIssue(ctx: KoaContextWithOIDC): number {
  const rotated = ctx?.oidc?.entities.RotatedRefreshToken;
  return rotated ? Math.max(1, rotated.remainingTTL) : LIFETIMES.refreshToken;
}
