import { type ActionFunctionArgs, data, type HeadersArgs, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData } from "@remix-run/react";
import { z } from "zod";
import { resetPassword } from "#app/domain/password-reset/reset.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { clearSiteData, redirect303 } from "#app/http/reply.server.ts";
import { forgetResetToken } from "#app/http/reset-cookie.server.ts";
import { challengeOf } from "#app/http/sign-in-request.server.ts";
import { withChallenge } from "#app/ui/sign-in-request.ts";
import { ERROR_TOKEN_URL, resetFormView } from "./page-data.server.ts";
import { PasswordResetFormScreen } from "./reset-form-page.tsx";

const SUCCESS_URL = "/password-reset/reset-status?status=success";

const schema = z.object({
  _xsrf: z.string().default(""),
  reset_token: z.string().default(""),
  password: z.string().default(""),
  password_repeat: z.string().default(""),
});

/** Opened by its address, as after a reload of the form that it showed, or by its link to the other language. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  return context.isPosted ? null : redirect303(`/password-reset/reset-form${new URL(request.url).search}`);
}

/** Changes the password of the person of a link, and signs nobody in. */
export async function action({ context, request }: ActionFunctionArgs) {
  const form = await readForm(request, schema, ["_xsrf", "reset_token", "password", "password_repeat"]);
  const posted = schema.parse(form.ok ? form.value : form.values);
  const { reset_token: resetToken, password, password_repeat: repeat } = posted;
  type Problem = NonNullable<Parameters<typeof resetFormView>[2]["problem"]>;
  const again = async (problem: Problem, headers: Record<string, string> = {}) => {
    const view = await resetFormView(context, request, { resetToken, problem });
    return data(view, { status: view.status, headers });
  };

  if (!(await isOwnLoginForm(context, posted._xsrf))) return again({ error: "xsrf" });
  const { address, userAgent, requestId } = context;
  const input = { resetToken, password, repeat, address, userAgent, requestId };
  const outcome = await orOverloaded(() => resetPassword(context, input));
  switch (outcome.kind) {
    case "overloaded":
      return again({ error: "overloaded" }, OVERLOAD_HEADERS);
    case "error-token":
      return redirect303(withChallenge(ERROR_TOKEN_URL, await challengeOf(context, request)));
    case "refused":
      return again({ error: outcome.code, rules: outcome.rules, containsName: outcome.containsName });
    default: {
      context.mail.wake();
      context.logouts.wake();
      const forget = { "Set-Cookie": forgetResetToken(context.config) };
      const status = withChallenge(SUCCESS_URL, await challengeOf(context, request));
      return redirect303(status, { ...forget, ...clearSiteData });
    }
  }
}

/** How long to wait, where there was no room to hash. */
export function headers({ actionHeaders }: HeadersArgs) {
  return actionHeaders;
}

export default function PasswordReset() {
  const view = useActionData<typeof action>();
  return view && <PasswordResetFormScreen {...view} />;
}
