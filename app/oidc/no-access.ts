/** Path of the page for a user who may not use the client. */
export const NO_ACCESS_PATH = "/login/no-access";

/** `error_description` of the `access_denied` that the client gets for a user who may not use it. */
export const NO_ACCESS_DESCRIPTION = "the user may not use this application";
