import { isErrorCode } from "#app/domain/errors.ts";
import { MAX_QUOTED_CODE, quotedText } from "#app/domain/quoted-text.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import type { SettingsErrorState } from "#app/ui/page-state.ts";
import { type SettingsErrorScreenProps, settingsErrorTitle } from "./error-page.tsx";

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
