import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { PasswordResetStatusScreen } from "./reset-status-page.tsx";
import { resetStatusView } from "./page-data.server.ts";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const view = await resetStatusView(context, request);
  return data(view, view.status);
}

export default function PasswordResetStatus() {
  return <PasswordResetStatusScreen {...useLoaderData<typeof loader>()} />;
}
