import type { LoaderFunctionArgs } from "@remix-run/node";
import { FRESH_PROOF_SECONDS } from "#app/domain/access/access.ts";
import { settingsPath, settingsTarget } from "#app/domain/access/settings-path.ts";
import { createSettingsToken, SETTINGS_TOKEN_SECONDS } from "#app/domain/access/token.server.ts";
import { findUserInfo } from "#app/domain/account/overview.server.ts";
import { ADMINISTRATION_PROOF_HOURS } from "#app/domain/administration/find.server.ts";
import { findSubjectOfSession } from "#app/domain/sign-in-policy/live-session.server.ts";
import { HOUR_SECONDS, SECOND_MS } from "#app/durations.ts";
import { findRoleForPages } from "#app/http/administration.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { findSettings, UNAUTHORIZED_URL } from "#app/http/settings-session.server.ts";
import { proveIdentityUrl } from "#app/oidc/settings-client.server.ts";
import { isAdministrationPath } from "#app/ui/administration-path.ts";

/**
 * Opens the settings for the user of this browser's session. A session with a recent sign-in, without a remembered
 * device in place of a second factor, gets a settings token and is redirected to the page `to`; all others are
 * redirected to the authorization endpoint, which redirects back here with the page as `state`. The client that opened
 * the settings stays the same when they are open in this browser.
 */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const query = new URL(request.url).searchParams;
  // The sign-in was cancelled or failed.
  if (query.has("error")) return redirect303(UNAUTHORIZED_URL);
  const isCallback = query.has("state");
  const to = isCallback ? settingsPath(query.get("state")) : settingsTarget(query.get("to"));
  const [path = to] = to.split("?");
  const session = await context.session();
  const subject = await findSubjectOfSession(context, session, { demandsFreshFactor: true });
  const authTime = session?.authTime ?? null;
  const access = await findSettings(context, request);
  if (!session || !subject || !authTime || (await isOld(context, { userId: subject.userId, authTime, path }))) {
    // The sign-in just finished without a usable session: a second one would be the start of a redirect loop.
    if (isCallback) return redirectDocument(UNAUTHORIZED_URL);
    const user = access && (await findUserInfo(context, access));
    // The query is left out, because the authorization request may be stored for a day.
    return redirectDocument(proveIdentityUrl(context.config, { to: path, username: user?.username ?? null }));
  }
  const { userId, generation } = subject;
  const ownAccess = access?.userId === userId ? access : null;
  const t = await createSettingsToken(context, {
    userId,
    generation,
    authTime,
    sessionUid: session.uid,
    clientId: ownAccess?.clientId ?? null,
    returnToUrl: ownAccess?.returnToUrl ?? null,
    lifeSeconds: SETTINGS_TOKEN_SECONDS,
  });
  return redirectDocument(`${to}${to.includes("?") ? "&" : "?"}${new URLSearchParams({ t })}`);
}

/** Returns true if the proof of identity is too old: for the administration, a user with a role gives one in a working day. */
async function isOld(
  context: LoadContext,
  { userId, authTime, path }: { userId: string; authTime: Date; path: string },
): Promise<boolean> {
  const ageSeconds = (context.clock.now().getTime() - authTime.getTime()) / SECOND_MS;
  if (ageSeconds <= FRESH_PROOF_SECONDS) return false;
  if (!isAdministrationPath(path) || (await findRoleForPages(context, userId)) === null) return true;
  return ageSeconds > ADMINISTRATION_PROOF_HOURS * HOUR_SECONDS;
}

/** Redirects with a document load: the target is not a route that Remix can load in the browser. */
function redirectDocument(url: string): Response {
  return redirect303(url, { "X-Remix-Reload-Document": "true" });
}
