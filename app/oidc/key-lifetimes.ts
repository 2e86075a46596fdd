/** A key signs this many days, then the next one takes its place by itself. */
export const KEY_DAYS = 90;

/** A key is published this many hours before it signs: applications keep the key set for so long. */
export const KEY_AHEAD_HOURS = 24;

/** A key that signs no more stays published this many days: longer than anything it signed is shown to anybody. */
export const KEY_KEPT_DAYS = 30;
