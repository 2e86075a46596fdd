import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { beginStepUp, findUsername } from "#app/domain/second-factor/step-up.server.ts";
import { continueSession } from "#app/domain/sign-in/finish.server.ts";
import type { SignInPolicyResult } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { isOwnForm } from "#app/http/own-form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { keepTypedUsername } from "#app/http/typed-username.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { acceptAccount } from "#app/oidc/interaction-result.server.ts";
import { keptNameHref, otherAccountHref } from "#app/ui/sign-in-request.ts";
import { usePage } from "#app/ui/use-page.ts";
import { loadLoginPage, respondWithLoginPage } from "./login-page.server.ts";
import { LoginPage } from "./login-page.tsx";

const proceedForm = defineForm({ login_challenge: text(), user: text(), proceed: text() });

export async function loader({ context, request }: LoaderFunctionArgs) {
  return respondWithLoginPage(context, request);
}

/**
 * The response to "You are logged in as": `proceed=1` continues with this account, any other value with another one.
 */
export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, login_challenge: challenge, user, proceed } = await readForm(request, proceedForm);
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  const isOwn = await isOwnForm(context, _xsrf);
  if (found.kind === "open" && isOwn && proceed !== "1") return redirect303(otherAccountHref(challenge));
  if (found.kind === "open" && found.request.prompt === "select_account" && isOwn) {
    const { interaction } = found.request;
    const outcome = await proceedAs(context, found.request, user);
    if (outcome === "complete") return redirect303(await acceptAccount(context, interaction));
    if (outcome === "second-factor-required") {
      return redirect303(`/mfa/verify?${new URLSearchParams({ login_challenge: challenge })}`);
    }
    if (outcome === "proof-required") {
      const username = await findUsername(context, user);
      return redirect303(keptNameHref(challenge), await keepTypedUsername(context, { username, challenge }));
    }
  }
  const problem = found.kind === "open" && !isOwn ? { problem: { errors: ["xsrf"], username: "" } as const } : {};
  const page = await loadLoginPage(context, request, { challenge, ...problem });
  return data(page, Math.max(400, page.status));
}

/**
 * Applies the sign-in policy again, because the account may have changed since the page was shown. "proof-required": a
 * first factor has to be set up, and the authentication of the session is too old for that.
 */
async function proceedAs(
  context: LoadContext,
  open: OpenRequest,
  user: string,
): Promise<SignInPolicyResult["kind"] | "proof-required"> {
  const session = await context.session();
  if (session?.accountId !== user || session.generation === null) return "refused";
  const { uid, client, demandsFreshFactor } = open;
  const { accountId: userId, amr, generation } = session;
  const metadata = { ...requestMetadata(context), clientId: client.id };
  const result = await continueSession(context, { userId, amr, generation, demandsFreshFactor, ...metadata });
  if (result.kind !== "second-factor-required") return result.kind;
  const request = { uid, browser: context.browser, clientId: client.id };
  return (await beginStepUp(context, session, request, open)) ? result.kind : "proof-required";
}

export default function LoginProceed() {
  return <LoginPage {...usePage<typeof loader, typeof action>()} />;
}
