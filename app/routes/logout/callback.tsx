import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { LogoutScreen } from "#app/screens/logout.tsx";
import { logoutView } from "#app/views/logout.server.ts";

/** Where a logout ends that no application wants back. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const view = await logoutView(context, request, { challenge: "", status: "accepted" });
  return data(view, view.status);
}

export default function LogoutCallback() {
  return <LogoutScreen {...useLoaderData<typeof loader>()} />;
}
