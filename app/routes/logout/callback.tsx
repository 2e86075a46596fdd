import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { logoutView } from "./logout-page.server.ts";
import { LogoutScreen } from "./logout-page.tsx";

/** Where a logout ends that no application wants back; with status=no-session, where there was nothing to end. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const hadNone = new URL(request.url).searchParams.get("status") === "no-session";
  const view = await logoutView(context, request, { challenge: "", status: hadNone ? "no-session" : "accepted" });
  return data(view, view.status);
}

export default function LogoutCallback() {
  return <LogoutScreen {...useLoaderData<typeof loader>()} />;
}
