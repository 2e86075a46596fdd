import type { TFunction } from "i18next";
import { findUserOfNotMeLink } from "#app/domain/mail/not-me-link.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { issueFormToken } from "#app/http/own-form.server.ts";
import { type PageView, readStatus, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import type { NotMeState, StatusState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

/** Returns the URL of the page that shows the result. */
export function notMeStatusUrl(status: "success" | "error-token" | "no-link"): string {
  return `/login/not-me?status=${status}`;
}

export type NotMeFormProps = {
  state: NotMeState;
  /** The user whose access is ended. */
  username: string;
  appUrl: string;
};

/**
 * Loads the form that ends all access.
 * @throws a redirect to the status page if the link is invalid, or not opened in this browser
 */
export async function loadNotMeForm(
  context: LoadContext,
  request: Request,
  { notMeToken, error }: { notMeToken: string; error?: "xsrf" | undefined },
): Promise<PageView<NotMeState, NotMeFormProps>> {
  if (notMeToken === "") throw redirect303(notMeStatusUrl("no-link"));
  const user = await findUserOfNotMeLink(context, notMeToken);
  if (!user) throw redirect303(notMeStatusUrl("error-token"));
  const xsrf_token = await issueFormToken(context);
  const state = { ...(error ? { error } : {}), xsrf_token, not_me_token: notMeToken };
  return {
    status: htmlStatus(error),
    title: notMeFormTitle(await textsOf(context, request), state),
    state,
    username: user.username,
    appUrl: context.config.appUrl,
  };
}

function notMeFormTitle(t: TFunction, { error }: NotMeState): string {
  return pageTitle(t, t("notMe.heading"), error !== undefined);
}

export type NotMeStatusProps = {
  /** `success`, `error-token` or `no-link`; any other status is a technical error. */
  state: StatusState;
  appUrl: string;
};

/** Loads the page that shows the result. */
export async function loadNotMeStatus(
  context: LoadContext,
  request: Request,
): Promise<PageView<StatusState, NotMeStatusProps>> {
  const { state, status } = readStatus(request);
  return {
    status,
    title: notMeStatusTitle(await textsOf(context, request), state),
    state,
    appUrl: context.config.appUrl,
  };
}

function notMeStatusTitle(t: TFunction, { status }: StatusState): string {
  switch (status) {
    case "success":
      return pageTitle(t, t("notMe.success.heading"));
    case "error-token":
      return pageTitle(t, t("notMe.errorToken.heading"), true);
    case "no-link":
      return pageTitle(t, t("passwordReset.status.noLink.title"), true);
    default:
      return pageTitle(t, t("notMe.technical.heading"), true);
  }
}
