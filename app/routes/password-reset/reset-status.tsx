import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { resetStatusView } from "./page-data.server.ts";
import { PasswordResetStatusScreen } from "./reset-status-page.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const view = await resetStatusView(context, request);
  return data(view, view.status);
}

export default function PasswordResetStatus() {
  return <PasswordResetStatusScreen {...useLoaderData<typeof loader>()} />;
}
