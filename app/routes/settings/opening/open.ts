import type { LoaderFunctionArgs } from "@remix-run/node";
import { settingsPath } from "#app/domain/settings/settings-path.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { UNAUTHORIZED_URL } from "#app/http/settings-session.server.ts";
import { openForBrowser } from "./open.server.ts";

/**
 * The browser's own door to the settings: opens them for whoever has signed in here not long ago, and sends everybody else
 * through the sign-in first. The engine leads back here, with the page that was asked for as `state`.
 */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const query = new URL(request.url).searchParams;
  // The person has given up, or the engine cannot help.
  if (query.has("error")) return redirect303(UNAUTHORIZED_URL);
  const comesBack = query.has("state");
  const to = settingsPath(query.get(comesBack ? "state" : "to"));
  return openForBrowser(context, request, { to, comesBack });
}
