/** The parameter that carries the challenge of a sign-in through the pages of a password reset. */
export const CHALLENGE_PARAM = "login_challenge";

/** The address of the sign-in form of this challenge. */
export function signInHref(challenge: string): string {
  return withChallenge("/login", challenge);
}

/** The address of the form that asks for a link to a new password, with the user name where it is known ("" where not). */
export function resetHref(username: string, challenge: string): string {
  const query = username ? `?${new URLSearchParams({ username })}` : "";
  return withChallenge(`/password-reset/request-form${query}`, challenge);
}

/** Adds the challenge to a path of ours; "" adds nothing. */
export function withChallenge(path: string, challenge: string): string {
  if (challenge === "") return path;
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams({ [CHALLENGE_PARAM]: challenge })}`;
}
