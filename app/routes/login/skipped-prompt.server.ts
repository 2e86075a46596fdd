import { beginStepUp, findUsername } from "#app/domain/second-factor/step-up.server.ts";
import { checkSession } from "#app/domain/sign-in/live-session.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { continueRequest, rejectRequest } from "#app/oidc/answer-challenge.server.ts";
import type { OpenRequest } from "#app/oidc/challenges.server.ts";
import { NOTICE_PATH } from "#app/oidc/interaction-url.server.ts";

/** Reasons that a live session answers, if need be with its second step. */
const ANSWERED_BY_SESSION = new Set(["no_session", "session_void", "mfa_wanted", "essential_acr", "essential_acrs"]);

/** Of these, the ones that a session without its second step cannot answer. */
const BEYOND_A_SESSION = ["essential_acr", "essential_acrs"];

/** Reasons that another sign-in cannot mend: the application is told (OpenID Connect Core 1.0 sections 3.1.2.1 and 5.5.1.1). */
const BEYOND_THE_PERSON: Readonly<Record<string, string>> = {
  essential_acr: "unmet_authentication_requirements",
  essential_acrs: "unmet_authentication_requirements",
  id_token_hint: "login_required",
  claims_id_token_sub_value: "login_required",
};

/**
 * Passes over a sign-in page that has nothing to ask: another tab signed in meanwhile, the session lacks no more than its
 * second step, or the person did sign in and the application wants somebody or something else.
 * @returns the name of the user who has to prove who they are before they can set up a first factor, else null
 * @throws a redirect to the engine, or to the second step
 */
export async function skipNeedlessQuestion(
  context: LoadContext,
  open: OpenRequest,
  challenge: string,
): Promise<string | null> {
  if (open.prompt === "password_notice") throw redirect303(noticeUrl(challenge));
  if (open.prompt !== "login") return null;
  if (open.reasons.every((reason) => ANSWERED_BY_SESSION.has(reason))) {
    const { uid, client, demandsMfa } = open;
    const request = { uid, browser: context.browser, clientId: client.id, demandsMfa };
    const session = await context.session();
    if (await beginStepUp(context, session, request)) {
      throw redirect303(`/mfa/verify?${new URLSearchParams({ login_challenge: challenge })}`);
    }
    const verdict = await checkSession(context, session, { demandsMfa });
    if (verdict.kind === "complete" && !BEYOND_A_SESSION.some((reason) => open.reasons.includes(reason))) {
      throw redirect303(await continueRequest(context, uid));
    }
    if (verdict.kind === "second-factor-required") return findUsername(context, verdict.userId);
  }
  const error = open.reasons.map((reason) => BEYOND_THE_PERSON[reason]).find((code) => code !== undefined);
  if (!open.signedInAlready || !error) return null;
  const error_description = "the account or the method of the sign-in is not the one that was asked for";
  throw redirect303(await rejectRequest(context, open.uid, { error, error_description }));
}

function noticeUrl(challenge: string): string {
  return `${NOTICE_PATH}?${new URLSearchParams({ login_challenge: challenge })}`;
}
