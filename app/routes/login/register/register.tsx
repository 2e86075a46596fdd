import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { beginRegistration } from "#app/domain/registration/begin.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { findChallenge } from "#app/oidc/challenges.server.ts";
import { loginView } from "#app/routes/login/login-page.server.ts";
import { LoginScreen } from "#app/routes/login/login-page.tsx";

const schema = z.object({ _xsrf: z.string().default(""), login_challenge: z.string().default("") });

/** The form carries the hints for whoever reads it; what counts is what the request brought. */
const HINTS = /^hints\[[\w.-]{1,50}\]$/;

/** Opened by its address, as after a reload of the form that it showed. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const challenge = new URL(request.url).searchParams.get("login_challenge") ?? "";
  const view = await loginView(context, request, { challenge, otherAccount: true });
  return data(view, view.status);
}

/** Hands a person without an account over to the application that registers people. */
export async function action({ context, request }: ActionFunctionArgs) {
  const form = await readForm(request, schema, ["_xsrf", "login_challenge"], HINTS);
  const { _xsrf, login_challenge: challenge } = schema.parse(form.ok ? form.value : form.values);
  const again = async (error: "challenge" | "xsrf") => {
    const view = await loginView(context, request, { challenge, otherAccount: true, problem: { error, username: "" } });
    return data(view, view.status);
  };
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind !== "open") return again("challenge");
  if (!(await isOwnLoginForm(context, _xsrf))) return again("xsrf");
  const { uid, hints, client } = found.request;
  const { registrationUrl, regHints, id: clientId } = client;
  if (registrationUrl === null) throw refusal(400, "bad request");
  const { browser, address, userAgent, requestId } = context;
  const facts = { browser, address, userAgent, requestId, clientId };
  return redirect303(await beginRegistration(context, { uid, registrationUrl, hints, regHints, facts }));
}

export default function Register() {
  const shown = useLoaderData<typeof loader>();
  const view = useActionData<typeof action>() ?? shown;
  return view && <LoginScreen {...view} />;
}
