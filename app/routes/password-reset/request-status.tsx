import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { resetRequestStatusView } from "./page-data.server.ts";
import { PasswordResetRequestStatusScreen } from "./request-status-page.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const view = await resetRequestStatusView(context, request);
  return data(view, view.status);
}

export default function PasswordResetRequestStatus() {
  return <PasswordResetRequestStatusScreen {...useLoaderData<typeof loader>()} />;
}
