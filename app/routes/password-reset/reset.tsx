import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData } from "@remix-run/react";
import { checkRules, isRepeated } from "#app/domain/password/rules.ts";
import { resetPassword } from "#app/domain/password-reset/reset.server.ts";
import { passwordResetCookie } from "#app/http/cookies.server.ts";
import { defineForm, firstError, required, text, withRules } from "#app/http/define-form.server.ts";
import { readSubmission } from "#app/http/form.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { actionHeaders, clearSiteData, redirect303 } from "#app/http/reply.server.ts";
import { challengeOf } from "#app/http/sign-in-request.server.ts";
import { withChallenge } from "#app/ui/sign-in-request.ts";
import { ERROR_TOKEN_URL, loadResetForm, type ResetFormProblem } from "./password-reset.server.ts";
import { ResetForm } from "./reset-form.tsx";

const SUCCESS_URL = "/password-reset/reset-status?status=success";

const resetForm = withRules(
  defineForm({
    reset_token: text(),
    password: required("empty-password"),
    password_repeat: required("empty-password-repeat"),
  }),
  (schema) =>
    schema.refine(({ password, password_repeat }) => isRepeated(password, password_repeat), {
      path: ["password_repeat"],
      error: "passwords-not-equal",
    }),
);

/** Redirects a GET, as after a reload of a refused form or a change of the language, to the form. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  return context.isPosted ? null : redirect303(`/password-reset/reset-form${new URL(request.url).search}`);
}

/** Changes the password of the user of a link. The user is not signed in. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { submission, posted } = await readSubmission(request, resetForm);
  const resetToken = posted("reset_token");
  const showAgain = async (problem: ResetFormProblem, headers: Record<string, string> = {}) => {
    const page = await loadResetForm(context, request, { resetToken, problem });
    return data(page, { status: page.status, headers });
  };

  if (!(await isOwnLoginForm(context, posted("_xsrf")))) return showAgain({ error: "xsrf" });
  if (submission.status !== "success") {
    return showAgain({
      error: firstError(submission),
      rules: checkRules(posted("password"), posted("password_repeat")),
    });
  }
  const { password, password_repeat: repeat } = submission.value;
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
      const clearCookie = { "Set-Cookie": passwordResetCookie.clear(context.config) };
      const status = withChallenge(SUCCESS_URL, await challengeOf(context, request));
      return redirect303(status, { ...clearCookie, ...clearSiteData });
    }
  }
}

export const headers = actionHeaders;

export default function PasswordReset() {
  const page = useActionData<typeof action>();
  return page && <ResetForm {...page} />;
}
