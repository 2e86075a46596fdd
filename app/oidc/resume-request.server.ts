import { findInteraction } from "./challenges.server.ts";
import { findKeptRequest } from "./kept-interaction.server.ts";
import { type RestartContext, restartRequest } from "./restart.server.ts";
import { sealChallenge } from "./seal.server.ts";

/**
 * Leads a browser back to the sign-in form of a request that it made itself, with the user name filled in; where the
 * request ran out, the same one starts again. Make sure first that it is that browser.
 * @returns where to go, or null when nothing is known of the request (any more)
 */
export async function resumeRequest(
  context: RestartContext,
  { uid, browser, username }: { uid: string; browser: string; username: string },
): Promise<string | null> {
  const isOpen = (await findInteraction(context, uid)) !== null;
  if (!isOpen) {
    const location = await restartRequest(context, { uid, loginHint: username });
    if (location !== null) return location;
    if (!(await findKeptRequest(context, uid))) return null;
  }
  const login_challenge = sealChallenge(context.secrets, { kind: "login", uid, browser });
  // The form, also where somebody is signed in: the new account is another one.
  return `/login/native?${new URLSearchParams({ login_challenge, username, proceed: "0" })}`;
}
