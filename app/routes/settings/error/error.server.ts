import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { settingsTarget } from "#app/domain/access/settings-path.ts";
import { isErrorCode } from "#app/domain/base/errors.ts";
import { MAX_QUOTED_CODE, quotedText } from "#app/domain/base/quoted-text.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import type { SettingsErrorState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

/** Accepts every code; one that is not in the list of error codes is quoted on the page. */
export async function loadErrorPage(
  { context, request }: Pick<LoaderFunctionArgs, "context" | "request">,
  code: string,
) {
  const { t } = await settingsTexts(context, request);
  const error = quotedText(code, MAX_QUOTED_CODE);
  const state: SettingsErrorState = { error };
  const query = new URL(request.url).searchParams;
  const page = {
    title: pageTitle(t, t("manageError.title"), false),
    state,
    isKnown: error === "error" || isErrorCode(error),
    appUrl: context.config.appUrl,
    lostForm: query.has("unsaved") ? settingsTarget(query.get("to")) : null,
    reference: context.requestId,
  };
  return data(page, statusOf(error));
}

function statusOf(code: string): number {
  if (code === "page_not_found") return 404;
  return code === "unauthorized" ? 401 : 400;
}
