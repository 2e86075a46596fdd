import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData } from "@remix-run/react";
import type { ErrorCode } from "#app/domain/errors.ts";
import { requestPasswordReset } from "#app/domain/password-reset/request.server.ts";
import { defineForm, firstError, notBlank } from "#app/http/define-form.server.ts";
import { readSubmission } from "#app/http/form.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { findSignInRequest } from "#app/http/sign-in-request.server.ts";
import { withChallenge } from "#app/ui/sign-in-request.ts";
import { loadRequestForm } from "./password-reset.server.ts";
import { RequestForm } from "./request-form.tsx";

const requestForm = defineForm({ username: notBlank("empty-username") });

/** Redirects a GET, as after a reload of a refused form or a change of the language, to the form. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  return context.isPosted ? null : redirect303(`/password-reset/request-form${new URL(request.url).search}`);
}

/**
 * Requests a link. The response is the same for every user name, and the work starts after the response has been sent,
 * so that neither content nor duration depends on the user name.
 */
export async function action({ context, request }: ActionFunctionArgs) {
  const { submission, posted } = await readSubmission(request, requestForm);
  const showAgain = async (error: ErrorCode | undefined) => {
    const page = await loadRequestForm(context, request, { error, username: posted("username") });
    return data(page, page.status);
  };
  if (!(await isOwnLoginForm(context, posted("_xsrf")))) return showAgain("xsrf");
  if (submission.status !== "success") return showAgain(firstError(submission));
  const { username } = submission.value;
  const { address, userAgent, requestId, browser } = context;
  const from = await findSignInRequest(context, request);
  const signIn = from && { uid: from.uid, browser };
  context.afterResponse(async () => {
    await requestPasswordReset(context, { username, signIn, address, userAgent, requestId });
    context.mail.wake();
  });
  return redirect303(withChallenge("/password-reset/request-status?status=success", from?.challenge ?? ""));
}

export default function PasswordResetRequest() {
  const page = useActionData<typeof action>();
  return page && <RequestForm {...page} />;
}
