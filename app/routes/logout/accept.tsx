import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { readForm } from "#app/http/form.server.ts";
import { isOwnForm } from "#app/http/own-form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { findLogoutRequest, isSignedOut } from "#app/oidc/logout.server.ts";
import { usePage } from "#app/ui/use-page.ts";
import { endSession, loadLogoutPage, logoutForm } from "./logout.server.ts";
import { LogoutPage } from "./logout-page.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const challenge = new URL(request.url).searchParams.get("logout_challenge") ?? "";
  return respondWith(loadLogoutPage(context, request, { challenge }));
}

export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, logout_challenge: challenge } = await readForm(request, logoutForm);
  const pending = await findLogoutRequest(context, context.exchange, challenge);
  const isOwn = await isOwnForm(context, _xsrf);
  const ended = pending && isOwn ? await endSession(context, challenge) : null;
  if (ended) return ended;
  if (challenge !== "" && (await isSignedOut(context, context.exchange))) return redirect303("/logout/callback");
  const problem =
    pending && isOwn ? ({ status: "failed" } as const) : ({ error: pending ? "xsrf" : "challenge" } as const);
  return respondWith(loadLogoutPage(context, request, { challenge, ...problem }));
}

export default function LogoutAccept() {
  return <LogoutPage {...usePage<typeof loader, typeof action>()} />;
}
