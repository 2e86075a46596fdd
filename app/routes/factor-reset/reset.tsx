import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData } from "@remix-run/react";
import { resetFactors } from "#app/domain/factor-reset/reset.server.ts";
import { factorResetCookie } from "#app/http/cookies.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { clearSiteData, redirect303, respondWith } from "#app/http/reply.server.ts";
import { loadResetForm, resetDoneUrl, resetStatusUrl } from "./factor-reset.server.ts";
import { ResetForm } from "./reset-form.tsx";

const resetForm = defineForm({ reset_token: text() });

/** Redirects a GET, as after a reload of a refused form or a change of the language, to the form. */
export function loader({ request }: LoaderFunctionArgs) {
  return redirect303(`/mfa-reset/reset-form${new URL(request.url).search}`);
}

/** Removes all second factors of the user of a link. The user is not signed in. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, reset_token: resetToken } = await readForm(request, resetForm);
  if (!(await isOwnLoginForm(context, _xsrf))) {
    return respondWith(loadResetForm(context, request, { resetToken, error: "xsrf" }));
  }
  const { address, userAgent, requestId } = context;
  const outcome = await resetFactors(context, { resetToken, address, userAgent, requestId });
  if (outcome.kind !== "done") return redirect303(resetStatusUrl(outcome.kind));
  const clearCookie = { "Set-Cookie": factorResetCookie.clear(context.config) };
  return redirect303(resetDoneUrl(outcome), { ...clearCookie, ...clearSiteData });
}

export default function FactorReset() {
  const page = useActionData<typeof action>();
  return page && <ResetForm {...page} />;
}
