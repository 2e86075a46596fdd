import { defineForm, type FormResult, firstError, notBlank } from "#app/http/define-form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { requireOverview, settingsState } from "#app/routes/settings/page-data.server.ts";
import type { UsernameState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

export const usernameForm = defineForm({ username: notBlank("username is empty") });

export type UsernamePage = PageView<
  UsernameState,
  {
    constraint: typeof usernameForm.constraint;
    lastResult?: FormResult | undefined;
    /** With `throttled`: minutes until the next attempt, rounded up. */
    waitMinutes?: number | undefined;
  }
>;

/** Loads the page that changes the user name, with the error of a rejected form. */
export async function loadUsernamePage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  rejected: Pick<UsernamePage, "lastResult" | "waitMinutes"> = {},
): Promise<UsernamePage> {
  const { username } = await requireOverview(context, settings);
  const error = firstError(rejected.lastResult);
  const state = { ...(await settingsState(context, settings)), username, ...(error ? { error } : {}) };
  const { t } = await settingsTexts(context, request);
  const title = pageTitle(t, t("manageUsername.title"), error !== undefined);
  return { status: htmlStatus(error), title, state, constraint: usernameForm.constraint, ...rejected };
}
