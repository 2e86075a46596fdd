/** Query parameter that keeps the login challenge during a password reset. */
export const CHALLENGE_PARAM = "login_challenge";

/** Returns the URL of the sign-in form for a challenge. */
export function signInHref(challenge: string): string {
  return withChallenge("/login", challenge);
}

/** Returns the URL of the form that requests a password reset; `username` may be "". */
export function resetHref(username: string, challenge: string): string {
  const query = username ? `?${new URLSearchParams({ username })}` : "";
  return withChallenge(`/password-reset/request-form${query}`, challenge);
}

/** Adds the challenge to a path; "" adds nothing. */
export function withChallenge(path: string, challenge: string): string {
  if (challenge === "") return path;
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams({ [CHALLENGE_PARAM]: challenge })}`;
}
