import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { respondWith } from "#app/http/reply.server.ts";
import { findLogoutRequest } from "#app/oidc/logout.server.ts";
import { endSession, loadLogoutPage } from "./logout.server.ts";
import { LogoutPage } from "./logout-page.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const challenge = new URL(request.url).searchParams.get("logout_challenge") ?? "";
  const pending = await findLogoutRequest(context, context.exchange, challenge);
  // The request has a valid id_token_hint of this session (OpenID Connect RP-Initiated Logout 1.0 §2): no confirmation.
  const ended = pending?.confirmed ? await endSession(context, challenge) : null;
  if (ended) throw ended;
  return respondWith(loadLogoutPage(context, request, { challenge }));
}

export default function Logout() {
  return <LogoutPage {...useLoaderData<typeof loader>()} />;
}
