/** Query parameter that keeps the login challenge during a password reset. */
export const CHALLENGE_PARAM = "login_challenge";

/** Returns the URL of the sign-in form for a challenge. */
export function signInHref(challenge: string): string {
  return withChallenge("/login", challenge);
}

/** Returns the URL of the sign-in form, also where the account of the session is offered. */
export function otherAccountHref(challenge: string): string {
  return `/login/native?${new URLSearchParams({ [CHALLENGE_PARAM]: challenge, proceed: "0" })}`;
}

/** Returns the URL of the same form with the user name that the browser keeps for this sign-in. */
export function keptNameHref(challenge: string): string {
  return `${otherAccountHref(challenge)}&typed=1`;
}

/** Returns the URL of the form that requests a password reset. */
export function resetHref(challenge: string): string {
  return withChallenge("/password-reset/request-form", challenge);
}

/** Adds the challenge to a path; "" adds nothing. */
export function withChallenge(path: string, challenge: string): string {
  if (challenge === "") return path;
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams({ [CHALLENGE_PARAM]: challenge })}`;
}
