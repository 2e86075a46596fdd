import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { respondWith } from "#app/http/reply.server.ts";
import { loadLogoutPage } from "./logout.server.ts";
import { LogoutPage } from "./logout-page.tsx";

/** The end of a logout without a post_logout_redirect_uri; with status=no-session, no user was signed in. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const hadNoSession = new URL(request.url).searchParams.get("status") === "no-session";
  const status = hadNoSession ? "no-session" : "accepted";
  return respondWith(loadLogoutPage(context, request, { challenge: "", status }));
}

export default function LogoutCallback() {
  return <LogoutPage {...useLoaderData<typeof loader>()} />;
}
