/** Query parameter that keeps the login challenge during a password reset. */
export const CHALLENGE_PARAM = "login_challenge";

/** Returns the URL of the sign-in form for a challenge; `username` may be "". */
export function signInHref(challenge: string, username = ""): string {
  return withUsername(withChallenge("/login", challenge), username);
}

/** Returns the URL of the form that requests a password reset; `username` may be "". */
export function resetHref(username: string, challenge: string): string {
  return withChallenge(withUsername("/password-reset/request-form", username), challenge);
}

/** Adds the user name for the sign-in form to a path; "" adds nothing. */
export function withUsername(path: string, username: string): string {
  return username === "" ? path : withParameter(path, { username });
}

/** Adds the challenge to a path; "" adds nothing. */
export function withChallenge(path: string, challenge: string): string {
  return challenge === "" ? path : withParameter(path, { [CHALLENGE_PARAM]: challenge });
}

function withParameter(path: string, parameter: Record<string, string>): string {
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(parameter)}`;
}
