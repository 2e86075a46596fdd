import type { LoadContext } from "#app/edge/load-context.server.ts";
import { clearSiteData, redirect303 } from "#app/http/reply.server.ts";
import { acceptLogout } from "#app/oidc/logout.server.ts";

/** Ends the session and goes where the logout leads, or null when the engine refused. Nothing of it stays in a cache. */
export async function endSession(context: LoadContext, challenge: string): Promise<Response | null> {
  const ended = await acceptLogout(context, context.exchange, challenge);
  if (!ended) return null;
  const headers = new Headers(clearSiteData);
  for (const cookie of ended.cookies) headers.append("Set-Cookie", cookie);
  return redirect303(ended.location, headers);
}
