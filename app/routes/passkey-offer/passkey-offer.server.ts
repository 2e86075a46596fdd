import { isFresh } from "#app/domain/access/access.ts";
import type { Subject } from "#app/domain/engine-session/subject.server.ts";
import { findSubjectOfSession } from "#app/domain/sign-in-policy/live-session.server.ts";
import type { FinishedSignIn } from "#app/domain/webauthn/offered-passkey.server.ts";
import { isPasskeyOffered } from "#app/domain/webauthn/passkey-offer.server.ts";
import { passkeyDeviceCookie } from "#app/http/cookies.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { issueFormToken } from "#app/http/own-form.server.ts";
import { clientLabel, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { continueAfterOffer, continueRequest } from "#app/oidc/interaction-result.server.ts";
import type { EngineSession } from "#app/oidc/session.server.ts";
import type { ClientLabel } from "#app/ui/page.tsx";
import type { PasskeyOfferState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

/** The authorization request that continues after the offer, and the user who has just signed in. */
type Offer = { open: OpenRequest; session: EngineSession; subject: Subject };

/**
 * Returns the offer of a challenge.
 * @throws a redirect to /login if the request is not open or has another prompt, and to the engine if the session has
 *   ended, where the engine requests a new sign-in
 */
export async function requireOffer(context: LoadContext, challenge: string): Promise<Offer> {
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind !== "open" || found.request.prompt !== "passkey_offer") {
    throw redirect303(`/login?${new URLSearchParams({ login_challenge: challenge })}`);
  }
  const { request: open } = found;
  context.allowFormsToLeave();
  if (open.resumeUrl !== null) throw redirect303(open.resumeUrl);
  const session = await context.session();
  const subject = await findSubjectOfSession(context, session);
  if (!session || !subject) throw redirect303(await continueRequest(context, open.interaction));
  return { open, session, subject };
}

/** Returns the sign-in of an offer, which allows to set up a passkey. */
export function signInOf({ browser }: LoadContext, { open, session, subject }: Offer): FinishedSignIn {
  const { uid, client } = open;
  return { subject, authTime: session.authTime, sessionUid: session.uid, clientId: client.id, uid, browser };
}

/**
 * Continues the sign-in without another offer in it.
 * @param changed the user after a passkey was set up; null if none was
 */
export async function leaveOffer(
  context: LoadContext,
  { open, session }: Offer,
  changed: Subject | null = null,
): Promise<Response> {
  const url = await continueAfterOffer(context, open.interaction, { session, subject: changed });
  return redirect303(url, [["Set-Cookie", passkeyDeviceCookie.clear(context.config)]]);
}

export type PasskeyOfferPageProps = {
  state: PasskeyOfferState;
  client: ClientLabel | null;
  /** True if the credential of the error `security key refused` is registered already. */
  isTaken: boolean;
};

/** The reason for which a passkey was not registered. */
export type OfferProblem = { error: NonNullable<PasskeyOfferState["error"]>; isTaken?: boolean };

/**
 * Loads the page that offers a passkey.
 * @throws a redirect to the engine if the passkey is not offered any more, or the sign-in is too long ago
 */
export async function loadPasskeyOffer(
  context: LoadContext,
  request: Request,
  { challenge, problem }: { challenge: string; problem?: OfferProblem },
): Promise<PageView<PasskeyOfferState, PasskeyOfferPageProps>> {
  const offer = await requireOffer(context, challenge);
  const { open, session, subject } = offer;
  if (!isFresh(session, context.clock.now()) || !(await isPasskeyOffered(context, subject))) {
    throw await leaveOffer(context, offer);
  }
  const t = await textsOf(context, request);
  const error = problem?.error;
  return {
    status: htmlStatus(error),
    title: pageTitle(t, t("passkeyOffer.title"), error !== undefined),
    state: {
      ...(error ? { error } : {}),
      login_challenge: challenge,
      xsrf_token: await issueFormToken(context),
    },
    client: clientLabel(open.client),
    isTaken: problem?.isTaken ?? false,
  };
}
