import { FRESH_PROOF_SECONDS } from "#app/domain/settings/access.ts";
import { findUserInfo } from "#app/domain/settings/overview.server.ts";
import { createSettingsToken, SETTINGS_TOKEN_SECONDS } from "#app/domain/settings/token.server.ts";
import { findSubjectOfSession } from "#app/domain/sign-in/live-session.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { findSettings, UNAUTHORIZED_URL } from "#app/http/settings-session.server.ts";
import { proveIdentityUrl } from "#app/oidc/own-client.server.ts";

/**
 * Leads to the settings' page `to`, by a token of its own, when this browser's session is whole and its sign-in not old;
 * else to the sign-in. Settings that are open here already keep the application they were opened from.
 */
export async function openForBrowser(
  context: LoadContext,
  request: Request,
  { to, comesBack }: { to: string; comesBack: boolean },
): Promise<Response> {
  const session = await context.session();
  const subject = await findSubjectOfSession(context, session);
  const authTime = session?.authTime ?? null;
  const access = await findSettings(context, request);
  if (!session || !subject || !authTime || isOld(authTime, context.clock.now())) {
    // Straight from a sign-in that does not count: once more would go on for ever.
    if (comesBack) return leave(UNAUTHORIZED_URL);
    const user = access && (await findUserInfo(context, access));
    return leave(proveIdentityUrl(context.config, { to, username: user?.username ?? null }));
  }
  const { userId, generation } = subject;
  const own = access?.userId === userId ? access : null;
  const t = await createSettingsToken(context, {
    ...{ userId, generation, authTime, sessionUid: session.uid },
    clientId: own?.clientId ?? null,
    returnToUrl: own?.returnToUrl ?? null,
    lifeSeconds: SETTINGS_TOKEN_SECONDS,
  });
  return leave(`${to}?${new URLSearchParams({ t })}`);
}

function isOld(authTime: Date, now: Date): boolean {
  return now.getTime() - authTime.getTime() > FRESH_PROOF_SECONDS * 1000;
}

/** Where it leads, Remix in the browser cannot go by itself. */
function leave(url: string): Response {
  return redirect303(url, { "X-Remix-Reload-Document": "true" });
}
