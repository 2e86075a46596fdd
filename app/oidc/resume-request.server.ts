import { findInteraction } from "./challenges.server.ts";
import { findKeptRequest } from "./finished-interaction.server.ts";
import { type RestartDeps, restartRequest } from "./restart.server.ts";
import { sealChallenge } from "./seal.server.ts";

/**
 * Returns the sign-in form of a request, with the user name filled in; an expired request is restarted. The caller must
 * have checked that this browser made the request.
 * @returns URL to redirect to; null if the request is unknown
 */
export async function resumeRequest(
  context: RestartDeps,
  { uid, browser, username }: { uid: string; browser: string; username: string },
): Promise<string | null> {
  const isOpen = (await findInteraction(context, uid)) !== null;
  if (!isOpen) {
    const location = await restartRequest(context, { uid, loginHint: username });
    if (location !== null) return location;
    if (!(await findKeptRequest(context, uid))) return null;
  }
  const login_challenge = sealChallenge(context.secrets, { kind: "login", uid, browser });
  // Shows the form even if a user is signed in, because the new account is a different one.
  return `/login/native?${new URLSearchParams({ login_challenge, username, proceed: "0" })}`;
}
