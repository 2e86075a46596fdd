import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import { LOGIN_NAME_MAX_LENGTH } from "#app/domain/username/login-name.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { OVERLOAD_HEADERS, orUnavailable } from "#app/http/overload.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { actionHeaders, redirect303, respondWith } from "#app/http/reply.server.ts";
import { findChallenge } from "#app/oidc/challenges.server.ts";
import { restartRequest } from "#app/oidc/restart.server.ts";
import { usePage } from "#app/ui/use-page.ts";
import { loadLoginPage, respondWithLoginPage } from "./login-page.server.ts";
import { LoginPage } from "./login-page.tsx";
import { loadUnavailableRestart } from "./unavailable-form.server.ts";

const restartForm = defineForm({ login_challenge: text(), username: text() });

export async function loader({ context, request }: LoaderFunctionArgs) {
  return respondWithLoginPage(context, request);
}

/** Starts a sign-in again whose request has expired or belongs to another browser. */
export async function action({ context, request }: ActionFunctionArgs) {
  const posted = await readForm(request, restartForm);
  return orUnavailable(context, request, {
    work: () => handleForm(context, request, posted),
    fallback: () => respondWith(loadUnavailableRestart(context, request, posted), OVERLOAD_HEADERS),
  });
}

type PostedForm = z.output<(typeof restartForm)["schema"]>;

async function handleForm(context: LoadContext, request: Request, posted: PostedForm) {
  const { _xsrf, login_challenge: challenge, username } = posted;
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind === "closed" && (await isOwnLoginForm(context, _xsrf))) {
    const loginHint = username.length > LOGIN_NAME_MAX_LENGTH ? null : username || null;
    const location = await restartRequest(context, { kept: found.kept, loginHint });
    if (location) return redirect303(location);
  }
  const problem = found.kind === "open" ? { problem: { errors: ["xsrf"], username } as const } : {};
  return respondWith(loadLoginPage(context, request, { challenge, otherAccount: true, ...problem }));
}

export const headers = actionHeaders;

export default function Login() {
  return <LoginPage {...usePage<typeof loader, typeof action>()} />;
}
