import { recordEvent } from "#app/domain/audit/record.server.ts";
import { findSubjectOfSession } from "#app/domain/sign-in-policy/live-session.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { issueFormToken } from "#app/http/own-form.server.ts";
import { clientLabel, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { clearSiteData, htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { acceptLogout, findLogoutRequest } from "#app/oidc/logout.server.ts";
import type { LogoutState } from "#app/ui/page-state.ts";
import { type LogoutPageProps, logoutTitle } from "./logout-page.tsx";

/** The form of /logout/accept and /logout/reject. */
export const logoutForm = defineForm({ logout_challenge: text() });

type LogoutInput = { challenge: string; status?: LogoutState["status"]; error?: LogoutState["error"] };

/** Loads the page of a logout. A pending logout without a valid challenge gets the error `challenge`. */
export async function loadLogoutPage(
  context: LoadContext,
  request: Request,
  input: LogoutInput,
): Promise<PageView<LogoutState, LogoutPageProps>> {
  const status = input.status ?? "pending";
  const pending = await findLogoutRequest(context, context.exchange, input.challenge);
  const subject = await findSubjectOfSession(context, await context.session());
  if (pending?.postLogoutRedirectUri) context.allowFormsToLeave();
  const error = status === "pending" && !pending ? "challenge" : input.error;
  const state: LogoutState = {
    status,
    logout_challenge: pending ? input.challenge : "",
    ...(error ? { error } : {}),
    xsrf_token: await issueFormToken(context),
  };
  return {
    status: status === "failed" ? 500 : htmlStatus(error),
    title: logoutTitle(await textsOf(context, request), state),
    state,
    client: clientLabel(pending?.client ?? null),
    accountName: subject?.displayName ?? null,
    appUrl: context.config.appUrl,
    requestRefused: pending?.replacesRefused ?? false,
  };
}

/**
 * Ends the session, clears the browser's cache and returns the redirect to the end of the logout; returns null if the
 * engine rejects the logout.
 */
export async function endSession(context: LoadContext, challenge: string): Promise<Response | null> {
  // The session is not available after the logout.
  const session = await context.session();
  const ended = await acceptLogout(context, context.exchange, challenge);
  if (!ended) return null;
  const { address, requestId } = context;
  const userId = session?.accountId ?? null;
  await recordEvent(context, { type: "sign-out", outcome: "ok", userId, address, requestId });
  const headers = new Headers(clearSiteData);
  for (const cookie of ended.cookies) headers.append("Set-Cookie", cookie);
  return redirect303(ended.location, headers);
}
