import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { beginRegistration } from "#app/domain/registration/begin.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { findChallenge } from "#app/oidc/challenges.server.ts";
import { storeForLaterRequest } from "#app/oidc/interaction-result.server.ts";
import { loadLoginPage } from "#app/routes/login/login-page.server.ts";
import { LoginPage } from "#app/routes/login/login-page.tsx";
import { usePage } from "#app/ui/use-page.ts";

const registerForm = {
  ...defineForm({ login_challenge: text() }),
  // The form repeats the hints; the action uses those of the authorization request.
  ignored: /^hints\[[\w.-]{1,50}\]$/,
};

/** Shows the sign-in form after a reload of a refused form. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const challenge = new URL(request.url).searchParams.get("login_challenge") ?? "";
  return respondWith(loadLoginPage(context, request, { challenge, otherAccount: true }));
}

/** Redirects a user without an account to the application that registers users. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, login_challenge: challenge } = await readForm(request, registerForm);
  const showAgain = (error: "challenge" | "xsrf") =>
    respondWith(
      loadLoginPage(context, request, {
        challenge,
        otherAccount: true,
        problem: { errors: [error], username: "" },
      }),
    );
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind !== "open") return showAgain("challenge");
  if (!(await isOwnLoginForm(context, _xsrf))) return showAgain("xsrf");
  const { uid, interaction, hints, client } = found.request;
  const { registrationUrl, regHints, id: clientId } = client;
  if (registrationUrl === null) throw refusal(400, "bad request");
  const metadata = { ...requestMetadata(context), clientId };
  const language = await context.language();
  await storeForLaterRequest(context, interaction);
  return redirect303(await beginRegistration(context, { uid, registrationUrl, hints, regHints, language, metadata }));
}

export default function Register() {
  return <LoginPage {...usePage<typeof loader, typeof action>()} />;
}
