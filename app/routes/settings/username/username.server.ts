import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { requireOverview, settingsState } from "#app/routes/settings/page-data.server.ts";
import type { UsernameError, UsernameState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

export type UsernamePage = PageView<
  UsernameState,
  {
    /** The typed user name of a rejected form; else "". */
    typed: string;
    /** With `throttled`: minutes until the next attempt, rounded up. */
    waitMinutes?: number | undefined;
  }
>;

type Problem = { error: UsernameError; typed: string; waitMinutes?: number };

/** Loads the page that changes the user name, with the error of a rejected form. */
export async function loadUsernamePage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  problem?: Problem,
): Promise<UsernamePage> {
  const { username } = await requireOverview(context, settings);
  const { error, ...details } = problem ?? { error: undefined, typed: "" };
  const state = { ...(await settingsState(context, settings)), username, ...(error ? { error } : {}) };
  const { t } = await settingsTexts(context, request);
  const title = pageTitle(t, t("manageUsername.title"), error !== undefined);
  return { status: htmlStatus(error), title, state, ...details };
}
