import { findSubjectOfSession } from "#app/domain/sign-in/live-session.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { clientLabel, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import { bindingOf, issueXsrf } from "#app/http/xsrf.server.ts";
import { findLogoutRequest } from "#app/oidc/logout.server.ts";
import type { LogoutState } from "#app/ui/page-state.ts";
import { type LogoutScreenProps, logoutTitle } from "./logout-page.tsx";

export type LogoutView = PageView<LogoutState, LogoutScreenProps>;

type LogoutInput = { challenge: string; status?: LogoutState["status"]; error?: LogoutState["error"] };

/** The page of a logout in each of its states; a pending one without a valid challenge is the error `challenge`. */
export async function logoutView(context: LoadContext, request: Request, input: LogoutInput): Promise<LogoutView> {
  const status = input.status ?? "pending";
  const pending = await findLogoutRequest(context, context.exchange, input.challenge);
  const subject = await findSubjectOfSession(context, await context.session());
  if (pending?.postLogoutRedirectUri) context.allowFormTarget(pending.postLogoutRedirectUri);
  const error = status === "pending" && !pending ? "challenge" : input.error;
  const state: LogoutState = {
    status,
    logout_challenge: pending ? input.challenge : "",
    ...(error ? { error } : {}),
    xsrf_token: issueXsrf(context, bindingOf(context, await context.session())),
  };
  return {
    status: status === "failed" ? 500 : htmlStatus(error),
    title: logoutTitle(await textsOf(context, request), state),
    state,
    client: clientLabel(pending?.client ?? null),
    accountName: subject?.displayName ?? null,
    appUrl: context.config.appUrl,
  };
}
