/** A session ends this many seconds after the sign-in, however busy it is. */
export const SESSION_MAX_SECONDS = 12 * 60 * 60;

/** A session ends this many seconds after it was last used. */
export const SESSION_IDLE_SECONDS = 2 * 60 * 60;
