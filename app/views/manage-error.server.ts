import type { LoadContext } from "#app/edge/load-context.server.ts";
import { type SettingsErrorScreenProps, settingsErrorTitle } from "#app/screens/manage-error.tsx";
import type { SettingsErrorState } from "#app/screens/page-state.ts";
import { settingsTexts } from "./manage.server.ts";
import type { PageView } from "./page-view.server.ts";

/** A code in an address is shown up to so many characters. */
const MAX_CODE_LENGTH = 200;

/** The page of an error in the settings. */
export async function settingsErrorView(
  context: LoadContext,
  request: Request,
  code: string,
): Promise<PageView<SettingsErrorState, SettingsErrorScreenProps>> {
  const { t } = await settingsTexts(context, request);
  const error = code.slice(0, MAX_CODE_LENGTH);
  const { appUrl } = context.config;
  return {
    status: statusOf(error),
    title: settingsErrorTitle(t),
    state: { error },
    appUrl,
    reference: context.requestId,
  };
}

function statusOf(code: string): number {
  if (code === "page_not_found") return 404;
  return code === "unauthorized" ? 401 : 400;
}
