import { HOUR_SECONDS } from "#app/durations.ts";

/** Maximum lifetime of a session after the sign-in. */
export const SESSION_MAX_SECONDS = 12 * HOUR_SECONDS;

/**
 * Returns the start of a session in seconds since 1970, or undefined if no user is signed in. `loginTs`, the engine's
 * `auth_time`, may be older (the user signed in at the provider before) or missing (the provider did not report it).
 */
export function sessionStart(session: { signedInAt?: number | undefined; loginTs?: number | undefined }) {
  return session.signedInAt ?? session.loginTs;
}

/** Idle timeout of a session. */
export const SESSION_IDLE_SECONDS = 2 * HOUR_SECONDS;

/** Returns the expiry of a tombstone: later than that of any row that a concurrent request may still save. */
export function tombstoneEnd(now: Date): Date {
  return new Date(now.getTime() + SESSION_MAX_SECONDS * 1000);
}
