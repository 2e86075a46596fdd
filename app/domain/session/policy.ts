/** A session ends this many seconds after the sign-in, however busy it is. */
export const SESSION_MAX_SECONDS = 12 * 60 * 60;

/**
 * When a session began, in seconds since 1970; undefined while nobody is signed in. `loginTs`, the engine's `auth_time`,
 * may be older (a provider says when the user signed in there) or missing (the provider does not say).
 */
export function sessionStart(session: { signedInAt?: number | undefined; loginTs?: number | undefined }) {
  return session.signedInAt ?? session.loginTs;
}

/** A session ends this many seconds after it was last used. */
export const SESSION_IDLE_SECONDS = 2 * 60 * 60;

/**
 * Until when the tombstone of a session that ends now is kept: later than the end of any row that a request under way may
 * still save.
 */
export function tombstoneEnd(now: Date): Date {
  return new Date(now.getTime() + SESSION_MAX_SECONDS * 1000);
}
