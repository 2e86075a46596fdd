import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { readForm } from "#app/http/form.server.ts";
import { isOwnForm } from "#app/http/own-form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { findLogoutRequest, rejectLogout } from "#app/oidc/logout.server.ts";
import { usePage } from "#app/ui/use-page.ts";
import { loadLogoutPage, logoutForm } from "./logout.server.ts";
import { LogoutPage } from "./logout-page.tsx";

/** Shows that the user is still signed in; with the challenge of a pending logout, asks for confirmation. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const challenge = new URL(request.url).searchParams.get("logout_challenge") ?? "";
  const session = await context.session();
  const isRejected = challenge === "" && session?.accountId;
  return respondWith(loadLogoutPage(context, request, { challenge, ...(isRejected ? { status: "rejected" } : {}) }));
}

export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, logout_challenge: challenge } = await readForm(request, logoutForm);
  const pending = await findLogoutRequest(context, context.exchange, challenge);
  if (pending && (await isOwnForm(context, _xsrf))) {
    await rejectLogout(context, context.exchange);
    return redirect303("/logout/reject");
  }
  return respondWith(loadLogoutPage(context, request, { challenge, error: pending ? "xsrf" : "challenge" }));
}

export default function LogoutReject() {
  return <LogoutPage {...usePage<typeof loader, typeof action>()} />;
}
