import { type ActionFunctionArgs, data, type HeadersArgs, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData } from "@remix-run/react";
import { z } from "zod";
import { resetPassword } from "#app/domain/password-reset/reset.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { clearSiteData, redirect303 } from "#app/http/reply.server.ts";
import { clearResetToken } from "#app/http/reset-cookie.server.ts";
import { challengeOf } from "#app/http/sign-in-request.server.ts";
import { withChallenge } from "#app/ui/sign-in-request.ts";
import { ERROR_TOKEN_URL, loadResetForm, type ResetFormProblem } from "./password-reset.server.ts";
import { ResetForm } from "./reset-form.tsx";

const SUCCESS_URL = "/password-reset/reset-status?status=success";

const schema = z.object({
  _xsrf: z.string().default(""),
  reset_token: z.string().default(""),
  password: z.string().default(""),
  password_repeat: z.string().default(""),
});

/** Redirects a GET, as after a reload of a refused form or a change of the language, to the form. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  return context.isPosted ? null : redirect303(`/password-reset/reset-form${new URL(request.url).search}`);
}

/** Changes the password of the user of a link. The user is not signed in. */
export async function action({ context, request }: ActionFunctionArgs) {
  const form = await readForm(request, schema, ["_xsrf", "reset_token", "password", "password_repeat"]);
  const posted = schema.parse(form.ok ? form.value : form.values);
  const { reset_token: resetToken, password, password_repeat: repeat } = posted;
  const showAgain = async (problem: ResetFormProblem, headers: Record<string, string> = {}) => {
    const page = await loadResetForm(context, request, { resetToken, problem });
    return data(page, { status: page.status, headers });
  };

  if (!(await isOwnLoginForm(context, posted._xsrf))) return showAgain({ error: "xsrf" });
  const { address, userAgent, requestId } = context;
  const input = { resetToken, password, repeat, address, userAgent, requestId };
  const outcome = await orOverloaded(() => resetPassword(context, input));
  switch (outcome.kind) {
    case "overloaded":
      return showAgain({ error: "overloaded" }, OVERLOAD_HEADERS);
    case "error-token":
      return redirect303(withChallenge(ERROR_TOKEN_URL, await challengeOf(context, request)));
    case "refused":
      return showAgain({ error: outcome.code, rules: outcome.rules, containsName: outcome.containsName });
    default: {
      context.mail.wake();
      context.logouts.wake();
      const clearCookie = { "Set-Cookie": clearResetToken(context.config) };
      const status = withChallenge(SUCCESS_URL, await challengeOf(context, request));
      return redirect303(status, { ...clearCookie, ...clearSiteData });
    }
  }
}

/** Forwards `Retry-After` of an overloaded server. */
export function headers({ actionHeaders }: HeadersArgs) {
  return actionHeaders;
}

export default function PasswordReset() {
  const page = useActionData<typeof action>();
  return page && <ResetForm {...page} />;
}
