import { findOverview } from "#app/domain/settings/overview.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { type Settings, UNAUTHORIZED_URL } from "#app/http/settings-session.server.ts";
import { type PasswordChangeScreenProps, passwordChangeTitle } from "#app/routes/settings/password/password-page.tsx";
import { type UsernameScreenProps, usernameTitle } from "#app/routes/settings/username/username-page.tsx";
import type { PasswordChangeError, PasswordChangeState, UsernameError, UsernameState } from "#app/ui/page-state.ts";
import { settingsState } from "./page-data.server.ts";

export type PasswordProblem = { error: PasswordChangeError; endsOthers: boolean } & Pick<
  PasswordChangeScreenProps,
  "rules" | "containsName" | "waitMinutes"
>;

/** The page that changes the password. */
export async function passwordChangeView(
  context: LoadContext,
  request: Request,
  settings: Settings,
  problem?: PasswordProblem,
): Promise<PageView<PasswordChangeState, PasswordChangeScreenProps>> {
  const { username, hasPassword } = await overviewOf(context, settings);
  const { error, ...facts } = problem ?? { error: undefined, endsOthers: true };
  const state = { ...(await settingsState(context, settings)), ...(error ? { error } : {}) };
  const { t } = await settingsTexts(context, request);
  return { status: htmlStatus(error), title: passwordChangeTitle(t, state), state, username, hasPassword, ...facts };
}

export type UsernameProblem = { error: UsernameError; typed: string } & Pick<UsernameScreenProps, "waitMinutes">;

/** The page that changes the user name. */
export async function usernameView(
  context: LoadContext,
  request: Request,
  settings: Settings,
  problem?: UsernameProblem,
): Promise<PageView<UsernameState, UsernameScreenProps>> {
  const { username } = await overviewOf(context, settings);
  const { error, ...facts } = problem ?? { error: undefined, typed: "" };
  const state = { ...(await settingsState(context, settings)), username, ...(error ? { error } : {}) };
  const { t } = await settingsTexts(context, request);
  return { status: htmlStatus(error), title: usernameTitle(t, state), state, ...facts };
}

async function overviewOf(context: LoadContext, { access }: Settings) {
  const overview = await findOverview(context, access);
  if (!overview) throw redirect303(UNAUTHORIZED_URL);
  return overview;
}
