import { type ActionFunctionArgs, data, type HeadersArgs, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { finishTotpSetUp, startTotpSetUp } from "#app/domain/second-factor/set-up.server.ts";
import { requestMetadata } from "#app/http/factor-response.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { codeProblem, waitOf } from "./form-errors.server.ts";
import { setUpView } from "./setup-page.server.ts";
import { SetUpScreen } from "./setup-page.tsx";
import { requireOpenRequest, type StepProblem, stepUrl } from "./verify-page.server.ts";

const FIELDS = ["_xsrf", "login_challenge", "mfa_token", "method", "code"];

const schema = z.object({
  _xsrf: z.string().default(""),
  login_challenge: z.string().default(""),
  mfa_token: z.string().default(""),
  method: z.string().default(""),
  code: z.string().optional(),
});

export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const query = new URL(request.url).searchParams;
  const challenge = query.get("login_challenge") ?? "";
  const view = await setUpView(context, request, { challenge, method: query.get("method") });
  return data(view, view.status);
}

/** Begins to set up what `method` names, or ends the set-up of an authenticator app with its first code. */
export async function action({ context, request }: ActionFunctionArgs) {
  const form = await readForm(request, schema, FIELDS);
  const posted = schema.parse(form.ok ? form.value : form.values);
  const { login_challenge: challenge, method, code, mfa_token: mfaToken } = posted;
  const again = async (problem: StepProblem, headers: Record<string, string> = {}) => {
    const view = await setUpView(context, request, { challenge, method, problem });
    return data(view, { status: view.status, headers });
  };

  await requireOpenRequest(context, challenge);
  if (!(await isOwnLoginForm(context, posted._xsrf))) return again({ error: "xsrf" });
  // The form of a key that was set up brings no more than its token.
  if (code === undefined && method === "") return redirect303(stepUrl("/mfa/recovery-codes", challenge));
  if (code === undefined) {
    if (method === "totp") await startTotpSetUp(context, { mfaToken, browser: context.browser });
    return redirect303(`${stepUrl("/mfa/setup", challenge)}&method=${method === "fido2" ? "fido2" : "totp"}`);
  }
  if (code.trim() === "") return again({ error: "invalid verification code", refusal: "missing" });
  const outcome = await finishTotpSetUp(context, { ...requestMetadata(context), mfaToken, code });
  switch (outcome.kind) {
    case "verified":
      return redirect303(stepUrl("/mfa/recovery-codes", challenge));
    case "reauthentication_required":
      // That page leads to the sign-in form.
      return redirect303(stepUrl("/mfa/verify", challenge));
    case "throttled":
      return again(...waitOf(outcome));
    case "factor already registered":
    case "totp not found":
      return again({ error: outcome.kind });
    default:
      return again(codeProblem(outcome));
  }
}

/** How long to wait, where an attempt was not heard. */
export function headers({ actionHeaders }: HeadersArgs) {
  return actionHeaders;
}

export default function MfaSetUp() {
  const shown = useLoaderData<typeof loader>();
  const view = useActionData<typeof action>() ?? shown;
  return view && <SetUpScreen {...view} />;
}
