import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { readForm } from "#app/http/form.server.ts";
import { isOwnForm } from "#app/http/own-form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { findLogoutRequest, isSignedOut } from "#app/oidc/logout.server.ts";
import { endSession, loadLogoutPage, logoutForm } from "./logout.server.ts";
import { LogoutPage } from "./logout-page.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const challenge = new URL(request.url).searchParams.get("logout_challenge") ?? "";
  const page = await loadLogoutPage(context, request, { challenge });
  return data(page, page.status);
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
  const page = await loadLogoutPage(context, request, { challenge, ...problem });
  return data(page, page.status);
}

export default function LogoutAccept() {
  const loaded = useLoaderData<typeof loader>();
  const page = useActionData<typeof action>() ?? loaded;
  return page && <LogoutPage {...page} />;
}
