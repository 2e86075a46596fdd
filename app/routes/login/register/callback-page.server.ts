import { findReturn } from "#app/domain/registration/return.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, textsOf } from "#app/http/page-data.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { findClientView } from "#app/oidc/client-view.server.ts";
import { resumeRequest } from "#app/oidc/resume-request.server.ts";
import type { StatusState } from "#app/ui/page-state.ts";
import { type RegisterCallbackScreenProps, registerCallbackTitle } from "./callback-page.tsx";

/**
 * The page of a registration that does not lead back to a sign-in.
 * @throws a redirect to the sign-in form where it does
 */
export async function registerCallbackView(
  context: LoadContext,
  request: Request,
): Promise<PageView<StatusState, RegisterCallbackScreenProps>> {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  const { browser, config, store } = context;
  const found = await findReturn(context, { token, browser });
  if (found.kind === "back") {
    const { uid, username } = found;
    const location = await resumeRequest(context, { uid, browser, username });
    if (location !== null) throw redirect303(location);
  }
  const client = found.kind === "expired" ? await findClientView(store, found.clientId) : null;
  const appUrl = client?.initiateLoginUri ?? client?.uri ?? config.appUrl;
  const state = { status: found.kind === "expired" ? "error-token" : "error" };
  return { status: 400, title: registerCallbackTitle(await textsOf(context, request)), state, appUrl };
}
