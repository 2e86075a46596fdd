import { SESSION_MAX_SECONDS } from "#app/domain/engine-session/lifetime.ts";
import { HELP_HOURS } from "#app/domain/help-link/give.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";

/**
 * Time after `secrets reencrypt` until an old key of SECRET_KEYS may be removed, in hours. Until then it verifies what it
 * signed: sessions, and the words of help for people who cannot sign in.
 */
export const OLD_KEY_HOURS = Math.max(SESSION_MAX_SECONDS / HOUR_SECONDS, ...HELP_HOURS);
