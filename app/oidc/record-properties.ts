/** Our own properties of oidc-provider's models, between the adapter's `find` and `upsert`. */

/** Set on sessions and grants that were read from the database; never stored. */
export const PERSISTED = "persisted";

/** Previous id of a session that got a new one; never stored. */
export const FORMER_ID = "formerId";

/** Generation of the user when the session, grant or code was created; stored. */
export const GENERATION = "generation";
