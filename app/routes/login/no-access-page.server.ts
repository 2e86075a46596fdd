import { mayUseApplication } from "#app/domain/application-access/applications.server.ts";
import { findContact } from "#app/domain/application-access/contact.server.ts";
import type { Subject } from "#app/domain/engine-session/subject.server.ts";
import { findSubjectOfSession } from "#app/domain/sign-in-policy/live-session.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { issueFormToken } from "#app/http/own-form.server.ts";
import { clientLabel, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { continueAfterNotice, continueRequest } from "#app/oidc/interaction-result.server.ts";
import type { ClientLabel } from "#app/ui/page.tsx";
import type { NoAccessState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

/**
 * Returns the authorization request of a user who may not use the client.
 * @throws a redirect to /login if the request is not open or has another prompt
 */
export async function requireRefusedRequest(context: LoadContext, challenge: string): Promise<OpenRequest> {
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind !== "open" || found.request.prompt !== "no_access") {
    throw redirect303(`/login?${new URLSearchParams({ login_challenge: challenge })}`);
  }
  context.allowFormsToLeave();
  return found.request;
}

/**
 * Returns the user of the live session, who still may not use the client.
 * @throws a redirect to the engine if the session has ended, or the user got access since
 */
export async function requireRefusedUser(context: LoadContext, { interaction, client }: OpenRequest): Promise<Subject> {
  const session = await context.session();
  const subject = await findSubjectOfSession(context, session);
  // The engine evaluates the request again, and requests a new sign-in.
  if (subject === null) throw redirect303(await continueRequest(context, interaction));
  if (await mayUseApplication(context, { clientId: client.id, userId: subject.userId })) {
    throw redirect303(await continueAfterNotice(context, interaction, session));
  }
  return subject;
}

export type NoAccessPageProps = {
  state: NoAccessState;
  client: ClientLabel | null;
  user: { name: string; username: string };
  /** Contact of those who give access: an e-mail address, a web address or a sentence; null if none is known. */
  contact: string | null;
};

/**
 * Loads the page that names the application and whom to ask for access.
 * @throws a redirect to the engine if the session has ended, the user got access, or the request was answered
 */
export async function loadNoAccess(
  context: LoadContext,
  request: Request,
  { challenge, error }: { challenge: string; error?: "xsrf" },
): Promise<PageView<NoAccessState, NoAccessPageProps>> {
  const open = await requireRefusedRequest(context, challenge);
  if (open.resumeUrl !== null) throw redirect303(open.resumeUrl);
  const subject = await requireRefusedUser(context, open);
  const t = await textsOf(context, request);
  const state: NoAccessState = {
    ...(error ? { error } : {}),
    login_challenge: challenge,
    xsrf_token: await issueFormToken(context),
  };
  return {
    status: error ? htmlStatus(error) : 403,
    title: pageTitle(t, t("noAccess.title"), error !== undefined),
    state,
    client: clientLabel(open.client),
    user: { name: subject.displayName, username: subject.username },
    contact: await findContact(context, subject.userId),
  };
}
