/** Emitted by the provider, with the context, when a request names scopes that are not allowed for its client. */
export const SCOPES_REFUSED = "gatehouse.scopes_refused";

/** Emitted by the provider, with the context, when `offline_access` was dropped for want of `prompt=consent`. */
export const OFFLINE_ACCESS_DROPPED = "gatehouse.offline_access_dropped";

/** Emitted by the provider, with context and token, when a live token is reported as inactive to another client. */
export const INTROSPECTION_WITHHELD = "gatehouse.introspection_withheld";
