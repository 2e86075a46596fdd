import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { findLogoutRequest } from "#app/oidc/logout.server.ts";
import { endSession } from "./end-session.server.ts";
import { logoutView } from "./logout-page.server.ts";
import { LogoutScreen } from "./logout-page.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const challenge = new URL(request.url).searchParams.get("logout_challenge") ?? "";
  const pending = await findLogoutRequest(context, context.exchange, challenge);
  // A valid ID token of this very session came with the request: it is the person's own application that asks.
  const ended = pending?.confirmed ? await endSession(context, challenge) : null;
  if (ended) throw ended;
  const view = await logoutView(context, request, { challenge });
  return data(view, view.status);
}

export default function Logout() {
  return <LogoutScreen {...useLoaderData<typeof loader>()} />;
}
