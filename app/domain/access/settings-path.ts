/** Path of the first page of the settings. */
const SETTINGS_PATH = "/manage";

/** Segments without dots and percent-encoding. */
const PATH = /^\/manage(?:\/[A-Za-z0-9_-]+){0,6}$/;

/** The page of a security key has its credential id in its path: 1,023 bytes (WebAuthn Level 3 §7.1) in base64url. */
const MAX_LENGTH = 1_400;

/** Pages that cannot be the target of a sign-in: they lead to one or belong to no user. */
const SIGN_IN_PAGES = /^\/manage\/(?:open|opening|confirm|error)(?:\/|$)/;

/** Pages with lists, whose search is kept. */
const ADMINISTRATION = /^\/manage\/admin(?:\/|$)/;

/** Parameters that are valid once: the token that opens the settings, and the report about the last form. */
const USED_PARAMETERS = ["t", "done"];

/** Returns the requested path if it is a settings page without query or fragment, else that of the first page. */
export function settingsPath(requested: string | null): string {
  const isSettingsPage =
    requested !== null && requested.length <= MAX_LENGTH && PATH.test(requested) && !SIGN_IN_PAGES.test(requested);
  return isSettingsPage ? requested : SETTINGS_PATH;
}

/**
 * Returns the requested URL path with its query if it is a page of the administration, else the same as `settingsPath`.
 * The result has at most 1,400 characters: a longer query is left out.
 */
export function settingsTarget(requested: string | null): string {
  const [requestedPath = "", ...rest] = (requested ?? "").split("?");
  const path = settingsPath(requestedPath);
  if (!ADMINISTRATION.test(path)) return settingsPath(requested);
  const query = new URLSearchParams(rest.join("?"));
  for (const name of USED_PARAMETERS) query.delete(name);
  const target = `${path}?${query}`;
  return query.size === 0 || target.length > MAX_LENGTH ? path : target;
}
