import { beginStepUp, findUsername } from "#app/domain/second-factor/step-up.server.ts";
import { checkSession } from "#app/domain/sign-in-policy/live-session.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import type { OpenRequest } from "#app/oidc/challenges.server.ts";
import { continueRequest, rejectRequest } from "#app/oidc/interaction-result.server.ts";
import { NOTICE_PATH, OFFER_PATH } from "#app/oidc/interaction-url.server.ts";
import { NO_ACCESS_PATH } from "#app/oidc/no-access.ts";

/** Reasons that a live session satisfies, if necessary with a second factor. */
const SATISFIED_BY_SESSION = new Set(["no_session", "session_void", "mfa_wanted", "essential_acr", "essential_acrs"]);

/** The subset of these reasons that a session without a second factor does not satisfy. */
const NEEDS_SECOND_FACTOR = ["essential_acr", "essential_acrs"];

/** The error codes of reasons that another sign-in cannot satisfy (OpenID Connect Core 1.0 §3.1.2.1, §5.5.1.1). */
const UNSATISFIABLE: Readonly<Record<string, string>> = {
  essential_acr: "unmet_authentication_requirements",
  essential_acrs: "unmet_authentication_requirements",
  id_token_hint: "login_required",
  claims_id_token_sub_value: "login_required",
};

/**
 * Skips the sign-in page if it needs no input: the user has signed in in another tab, the session only lacks its second
 * factor, or the user has signed in and the application requires another user or method.
 * @returns the name of a user who has to reauthenticate before the set-up of a first factor, else null
 * @throws a redirect to the engine, to the second step or to the page of the prompt
 */
export async function skipPrompt(context: LoadContext, open: OpenRequest, challenge: string): Promise<string | null> {
  if (open.prompt === "password_notice") throw redirect303(promptUrl(NOTICE_PATH, challenge));
  if (open.prompt === "no_access") throw redirect303(promptUrl(NO_ACCESS_PATH, challenge));
  if (open.prompt === "passkey_offer") throw redirect303(promptUrl(OFFER_PATH, challenge));
  if (open.prompt !== "login") return null;
  if (open.reasons.every((reason) => SATISFIED_BY_SESSION.has(reason))) {
    const { uid, client, interaction } = open;
    const request = { uid, browser: context.browser, clientId: client.id };
    const session = await context.session();
    if (await beginStepUp(context, session, request, open)) {
      throw redirect303(`/mfa/verify?${new URLSearchParams({ login_challenge: challenge })}`);
    }
    const result = await checkSession(context, session, open);
    if (result.kind === "complete" && !NEEDS_SECOND_FACTOR.some((reason) => open.reasons.includes(reason))) {
      throw redirect303(await continueRequest(context, interaction));
    }
    if (result.kind === "second-factor-required") return findUsername(context, result.userId);
  }
  const error = open.reasons.map((reason) => UNSATISFIABLE[reason]).find((code) => code !== undefined);
  if (!open.wasSignedIn || !error) return null;
  const error_description = "the account or the authentication method does not match the request";
  throw redirect303(await rejectRequest(context, open.interaction, { error, error_description }));
}

function promptUrl(path: string, challenge: string): string {
  return `${path}?${new URLSearchParams({ login_challenge: challenge })}`;
}
