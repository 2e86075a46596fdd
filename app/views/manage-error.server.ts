import { isErrorCode } from "#app/domain/errors.ts";
import { MAX_QUOTED_CODE, quotedText } from "#app/domain/quoted-text.ts";
import type { LoadContext } from "#app/edge/load-context.server.ts";
import { type SettingsErrorScreenProps, settingsErrorTitle } from "#app/screens/manage-error.tsx";
import type { SettingsErrorState } from "#app/screens/page-state.ts";
import { settingsTexts } from "./manage.server.ts";
import type { PageView } from "./page-view.server.ts";

/** The page of an error in the settings. */
export async function settingsErrorView(
  context: LoadContext,
  request: Request,
  code: string,
): Promise<PageView<SettingsErrorState, SettingsErrorScreenProps>> {
  const { t } = await settingsTexts(context, request);
  const error = quotedText(code, MAX_QUOTED_CODE);
  const { appUrl } = context.config;
  return {
    status: statusOf(error),
    title: settingsErrorTitle(t),
    state: { error },
    isKnown: error === "error" || isErrorCode(error),
    appUrl,
    reference: context.requestId,
  };
}

function statusOf(code: string): number {
  if (code === "page_not_found") return 404;
  return code === "unauthorized" ? 401 : 400;
}
