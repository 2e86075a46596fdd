import { recordEvent } from "#app/domain/audit/record.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { clearSiteData, redirect303 } from "#app/http/reply.server.ts";
import { acceptLogout } from "#app/oidc/logout.server.ts";

/** Ends the session and goes where the logout leads, or null when the engine refused. Nothing of it stays in a cache. */
export async function endSession(context: LoadContext, challenge: string): Promise<Response | null> {
  // Read before it ends.
  const session = await context.session();
  const ended = await acceptLogout(context, context.exchange, challenge);
  if (!ended) return null;
  context.logouts.wake();
  const { address, requestId } = context;
  const userId = session?.accountId ?? null;
  await recordEvent(context, { type: "sign-out", outcome: "ok", userId, address, requestId });
  const headers = new Headers(clearSiteData);
  for (const cookie of ended.cookies) headers.append("Set-Cookie", cookie);
  return redirect303(ended.location, headers);
}
