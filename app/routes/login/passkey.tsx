import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import { assertNever } from "#app/domain/base/assert-never.ts";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { signInWithPasskey } from "#app/domain/sign-in/with-passkey.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { OVERLOAD_HEADERS, orUnavailable } from "#app/http/overload.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { findRememberedUsername } from "#app/http/remembered-username.server.ts";
import { actionHeaders, redirect303, respondWith, throttledDetails } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { findChallenge } from "#app/oidc/challenges.server.ts";
import { acceptLogin } from "#app/oidc/interaction-result.server.ts";
import { usePage } from "#app/ui/use-page.ts";
import { loadLoginPage, respondWithLoginPage } from "./login-page.server.ts";
import { LoginPage } from "./login-page.tsx";
import { loadUnavailableForm } from "./unavailable-form.server.ts";

const passkeyForm = defineForm({ login_challenge: text(), assertion: text() });

export async function loader({ context, request }: LoaderFunctionArgs) {
  requirePasskeys(context);
  return respondWithLoginPage(context, request);
}

/** Signs in with the browser's response to the challenge of the sign-in page (PublicKeyCredential as JSON). */
export async function action({ context, request }: ActionFunctionArgs) {
  requirePasskeys(context);
  const posted = await readForm(request, passkeyForm);
  const unavailable = (name: string) =>
    name === "_xsrf" ? posted._xsrf : name === "username" ? "" : posted.login_challenge;
  return orUnavailable(context, request, {
    work: () => context.store.withDeferredDurability(() => handleForm(context, request, posted)),
    fallback: () => respondWith(loadUnavailableForm(context, request, unavailable), OVERLOAD_HEADERS),
  });
}

/** Throws a Response 404 while PASSKEYS is off. */
function requirePasskeys({ config }: LoadContext): void {
  if (!config.passkeys) throw refusal(404, "page_not_found");
}

async function handleForm(context: LoadContext, request: Request, posted: z.output<(typeof passkeyForm)["schema"]>) {
  const { login_challenge: challenge, assertion } = posted;
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  const shown = { challenge, found, otherAccount: true };
  const showAgain = async (error: ErrorCode, details: { waitMinutes?: number } = {}, headers: HeadersInit = {}) => {
    const { username = "" } = (await findRememberedUsername(context, request)) ?? {};
    const problem = { errors: [error], username, ...details };
    return respondWith(loadLoginPage(context, request, { ...shown, problem }), headers);
  };

  if (found.kind !== "open") return showAgain("challenge");
  if (!(await isOwnLoginForm(context, posted._xsrf))) return showAgain("xsrf");
  const { uid, client, demandsMfa, interaction } = found.request;
  const outcome = await signInWithPasskey(context, {
    ...{ ...requestMetadata(context), uid, clientId: client.id },
    ...{ assertion, demandsMfa },
  });
  switch (outcome.kind) {
    case "signed-in": {
      const { subject } = outcome;
      return redirect303(await acceptLogin(context, { interaction, subject, session: await context.session() }));
    }
    case "second-factor-required":
      return redirect303(`/mfa/verify?${new URLSearchParams({ login_challenge: challenge })}`);
    case "password-required": {
      const { username } = outcome;
      return respondWith(loadLoginPage(context, request, { ...shown, username, notice: { kind: "not verified" } }));
    }
    case "throttled":
      return showAgain("throttled", ...throttledDetails(outcome));
    case "refused":
      return showAgain("passkey refused");
    default:
      return assertNever(outcome);
  }
}

export const headers = actionHeaders;

export default function LoginPasskey() {
  return <LoginPage {...usePage<typeof loader, typeof action>()} />;
}
