import type { TFunction } from "i18next";
import { findPasswordResetNotice } from "#app/domain/password-reset/notice.server.ts";
import { findSubjectOfSession } from "#app/domain/sign-in-policy/live-session.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { issueFormToken } from "#app/http/own-form.server.ts";
import { clientLabel, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { whenText } from "#app/i18n/time-texts.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { continueAfterNotice } from "#app/oidc/interaction-result.server.ts";
import type { ClientLabel } from "#app/ui/page.tsx";
import type { PasswordNoticeState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

/**
 * Returns the authorization request that continues after the notice.
 * @throws a redirect to /login if the request is not open or has another prompt
 */
export async function requireNoticeRequest(context: LoadContext, challenge: string): Promise<OpenRequest> {
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind !== "open" || found.request.prompt !== "password_notice") {
    throw redirect303(`/login?${new URLSearchParams({ login_challenge: challenge })}`);
  }
  context.allowFormsToLeave();
  return found.request;
}

export type PasswordNoticePageProps = {
  state: PasswordNoticeState;
  client: ClientLabel | null;
  username: string;
  /** The time at which the password was set, as a part of a sentence. */
  when: string;
  /** Contact for help: an e-mail address, a web address or a sentence. */
  supportContact: string | null;
};

/**
 * Loads the page that shows when a mailed link set the password.
 * @throws a redirect to the engine if there is no notice to show
 */
export async function loadPasswordNotice(
  context: LoadContext,
  request: Request,
  { challenge, error }: { challenge: string; error?: "xsrf" },
): Promise<PageView<PasswordNoticeState, PasswordNoticePageProps>> {
  const open = await requireNoticeRequest(context, challenge);
  const session = await context.session();
  const subject = await findSubjectOfSession(context, session);
  const setAt = await findPasswordResetNotice(context, subject);
  // The engine checks the session again: it continues, or requests a new sign-in.
  if (subject === null || setAt === null) {
    throw redirect303(await continueAfterNotice(context, open.interaction, session));
  }
  const { clock, config } = context;
  const t = await textsOf(context, request);
  const language = await context.language();
  const state: PasswordNoticeState = {
    ...(error ? { error } : {}),
    login_challenge: challenge,
    xsrf_token: await issueFormToken(context),
  };
  return {
    status: htmlStatus(error),
    title: passwordNoticeTitle(t, state),
    state,
    client: clientLabel(open.client),
    username: subject.username,
    when: whenText(setAt, { t, language, now: clock.now(), timeZone: config.timeZone }),
    supportContact: config.supportContact ?? null,
  };
}

function passwordNoticeTitle(t: TFunction, { error }: PasswordNoticeState): string {
  return pageTitle(t, t("passwordNotice.title"), error !== undefined);
}
