import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { LOGIN_NAME_MAX_LENGTH } from "#app/domain/username/login-name.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { findChallenge } from "#app/oidc/challenges.server.ts";
import { restartRequest } from "#app/oidc/restart.server.ts";
import { loadLoginPage, respondWithLoginPage } from "./login-page.server.ts";
import { LoginPage } from "./login-page.tsx";

const restartForm = defineForm({ login_challenge: text(), username: text() });

export async function loader({ context, request }: LoaderFunctionArgs) {
  return context.isPosted ? null : respondWithLoginPage(context, request);
}

/** Starts a sign-in again whose request has expired or belongs to another browser. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, login_challenge: challenge, username } = await readForm(request, restartForm);
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind === "closed" && (await isOwnLoginForm(context, _xsrf))) {
    const loginHint = username.length > LOGIN_NAME_MAX_LENGTH ? null : username || null;
    const location = await restartRequest(context, { uid: found.uid, loginHint });
    if (location) return redirect303(location);
  }
  const problem = found.kind === "open" ? { problem: { errors: ["xsrf"], username } as const } : {};
  return respondWith(loadLoginPage(context, request, { challenge, otherAccount: true, ...problem }));
}

export default function Login() {
  const loaded = useLoaderData<typeof loader>();
  const page = useActionData<typeof action>() ?? loaded;
  return page && <LoginPage {...page} />;
}
