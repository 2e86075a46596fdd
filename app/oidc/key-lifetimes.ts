/** Age in days at which a signing key is replaced automatically. */
export const KEY_DAYS = 90;

/** Hours for which a key is published before it signs, because clients cache the key set. */
export const KEY_AHEAD_HOURS = 24;

/** Days for which a retired key stays published; longer than clients use anything it signed. */
export const KEY_KEPT_DAYS = 30;

/**
 * Seconds for which clients and proxies may reuse the key set and the metadata. Far shorter than KEY_AHEAD_HOURS, so that
 * every cached key set contains a key before it signs; short, because a cached set still contains keys that were removed
 * with `--remove-old`, and lacks the next key after a forced rotation.
 */
export const PUBLISHED_MAX_AGE_SECONDS = 300;
