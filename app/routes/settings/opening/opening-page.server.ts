import { findConfirmation } from "#app/domain/settings/confirmation.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { settingsConfirmCookie } from "#app/http/settings-cookie.server.ts";
import { UNAUTHORIZED_URL } from "#app/http/settings-session.server.ts";
import { bindingOf, issueXsrf } from "#app/http/xsrf.server.ts";
import type { OpeningState } from "#app/ui/page-state.ts";
import { type OpeningScreenProps, openingTitle } from "./opening-page.tsx";

/**
 * The page that names the account whose settings a link is about.
 * @throws a redirect to the page that says so, where no settings wait to be opened in this browser
 */
export async function openingView(
  context: LoadContext,
  request: Request,
  { error }: Pick<OpeningState, "error"> = {},
): Promise<PageView<OpeningState, OpeningScreenProps>> {
  const token = settingsConfirmCookie.read(context.config, request.headers.get("cookie"));
  const found = await findConfirmation(context, { token, browser: context.browser });
  if (!found) throw redirect303(UNAUTHORIZED_URL);
  const xsrf_token = issueXsrf(context, bindingOf(context, await context.session()));
  const state = { ...(error ? { error } : {}), display_name: found.displayName, xsrf_token };
  const { t } = await settingsTexts(context, request);
  return { status: htmlStatus(error), title: openingTitle(t, state), state, appUrl: context.config.appUrl };
}
