/** Age in days at which a signing key is replaced automatically. */
export const KEY_DAYS = 90;

/** Hours for which a key is published before it signs, because clients cache the key set. */
export const KEY_AHEAD_HOURS = 24;

/** Days for which a retired key stays published; longer than clients use anything it signed. */
export const KEY_KEPT_DAYS = 30;
