import { findPasswordResetNotice } from "#app/domain/password-reset/notice.server.ts";
import { findSubjectOfSession } from "#app/domain/sign-in/live-session.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { clientLabel, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { bindingOf, issueXsrf } from "#app/http/xsrf.server.ts";
import { detectLanguage } from "#app/i18n/language.server.ts";
import { whenText } from "#app/i18n/time-texts.server.ts";
import { continueAfterNotice } from "#app/oidc/answer-challenge.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import type { PasswordNoticeState } from "#app/ui/page-state.ts";
import { type PasswordNoticeScreenProps, passwordNoticeTitle } from "./password-notice-page.tsx";

/**
 * The request that waits behind the notice of a mailed password reset.
 * @throws a redirect to the sign-in page where the request is not open (any more), or asks for something else
 */
export async function requireNoticeRequest(context: LoadContext, challenge: string): Promise<OpenRequest> {
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind !== "open" || found.request.prompt !== "password_notice") {
    throw redirect303(`/login?${new URLSearchParams({ login_challenge: challenge })}`);
  }
  context.allowFormTarget(found.request.redirectUri);
  return found.request;
}

/**
 * The page that shows when a mailed link set the password, and what to do.
 * @throws a redirect to the engine where there is nothing to show (any more)
 */
export async function passwordNoticeView(
  context: LoadContext,
  request: Request,
  { challenge, error }: { challenge: string; error?: "xsrf" },
): Promise<PageView<PasswordNoticeState, PasswordNoticeScreenProps>> {
  const open = await requireNoticeRequest(context, challenge);
  const session = await context.session();
  const subject = await findSubjectOfSession(context, session);
  const setAt = await findPasswordResetNotice(context, subject);
  // The engine looks again: it goes on, or asks for the sign-in that has ended meanwhile.
  if (subject === null || setAt === null) throw redirect303(await continueAfterNotice(context, open.uid, session));
  const { clock, config } = context;
  const t = await textsOf(context, request);
  const { language } = await detectLanguage(request, "login");
  const state: PasswordNoticeState = {
    ...(error ? { error } : {}),
    login_challenge: challenge,
    xsrf_token: issueXsrf(context, bindingOf(context, session)),
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
