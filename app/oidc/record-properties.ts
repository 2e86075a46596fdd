/** Properties of ours that the engine's models carry between the adapter's `find` and `upsert`. */

/** Set on what was read from the database; never stored. */
export const PERSISTED = "persisted";

/** The id that a session had before the engine gave it another one; never stored. */
export const FORMER_ID = "formerId";

/** The user's generation when the session, grant or code was made; stored. */
export const GENERATION = "generation";
