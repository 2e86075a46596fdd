import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { findPasswordReset } from "#app/domain/password-reset/link.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { isResetToken, keepResetToken, readResetToken } from "#app/http/reset-cookie.server.ts";
import { withChallenge } from "#app/ui/sign-in-request.ts";
import { challengeOfReset, ERROR_TOKEN_URL, resetFormView } from "./page-data.server.ts";
import { PasswordResetFormScreen } from "./reset-form-page.tsx";

/** Looks, and uses nothing up: programs that check mails for dangerous links open them too. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const { config } = context;
  const token = new URL(request.url).searchParams.get("reset_token");
  if (token !== null) {
    const reset = isResetToken(token) ? await findPasswordReset(context, token) : null;
    if (!reset) return redirect303(ERROR_TOKEN_URL);
    const form = withChallenge("/password-reset/reset-form", challengeOfReset(context, reset));
    return redirect303(form, { "Set-Cookie": keepResetToken(config, token) });
  }
  const view = await resetFormView(context, request, { resetToken: readResetToken(config, request) });
  return data(view, view.status);
}

export default function PasswordResetForm() {
  return <PasswordResetFormScreen {...useLoaderData<typeof loader>()} />;
}
