import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData } from "@remix-run/react";
import { z } from "zod";
import { resetFactors } from "#app/domain/factor-reset/reset.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { factorResetCookie } from "#app/http/link-cookie.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { clearSiteData, redirect303 } from "#app/http/reply.server.ts";
import { loadResetForm, resetDoneUrl, resetStatusUrl } from "./factor-reset.server.ts";
import { ResetForm } from "./reset-form.tsx";

const schema = z.object({
  _xsrf: z.string().default(""),
  reset_token: z.string().default(""),
});

/** Redirects a GET, as after a reload of a refused form or a change of the language, to the form. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  return context.isPosted ? null : redirect303(`/mfa-reset/reset-form${new URL(request.url).search}`);
}

/** Removes all second factors of the user of a link. The user is not signed in. */
export async function action({ context, request }: ActionFunctionArgs) {
  const form = await readForm(request, schema, ["_xsrf", "reset_token"]);
  const { _xsrf, reset_token: resetToken } = schema.parse(form.ok ? form.value : form.values);
  if (!(await isOwnLoginForm(context, _xsrf))) {
    const page = await loadResetForm(context, request, { resetToken, error: "xsrf" });
    return data(page, page.status);
  }
  const { address, userAgent, requestId } = context;
  const outcome = await resetFactors(context, { resetToken, address, userAgent, requestId });
  if (outcome.kind !== "done") return redirect303(resetStatusUrl(outcome.kind));
  context.mail.wake();
  context.logouts.wake();
  const clearCookie = { "Set-Cookie": factorResetCookie.clear(context.config) };
  return redirect303(resetDoneUrl(outcome), { ...clearCookie, ...clearSiteData });
}

export default function FactorReset() {
  const page = useActionData<typeof action>();
  return page && <ResetForm {...page} />;
}
