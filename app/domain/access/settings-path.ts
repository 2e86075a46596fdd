/** Path of the first page of the settings. */
const SETTINGS_PATH = "/manage";

/** Segments without dots and percent-encoding. */
const PATH = /^\/manage(?:\/[A-Za-z0-9_-]+){0,6}$/;

/** The page of a security key has its credential id in its path: 1,023 bytes (WebAuthn Level 3 §7.1) in base64url. */
const MAX_LENGTH = 1_400;

/** Pages that cannot be the target of a sign-in: they lead to one or belong to no user. */
const SIGN_IN_PAGES = /^\/manage\/(?:open|opening|confirm|error)(?:\/|$)/;

/** Returns the requested path if it is a settings page without query or fragment, else that of the first page. */
export function settingsPath(requested: string | null): string {
  const isSettingsPage =
    requested !== null && requested.length <= MAX_LENGTH && PATH.test(requested) && !SIGN_IN_PAGES.test(requested);
  return isSettingsPage ? requested : SETTINGS_PATH;
}
