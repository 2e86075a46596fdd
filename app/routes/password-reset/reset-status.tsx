import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { PasswordResetStatusScreen } from "#app/screens/password-reset-status.tsx";
import { resetStatusView } from "#app/views/password-reset.server.ts";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const view = await resetStatusView(context, request);
  return data(view, view.status);
}

export default function PasswordResetStatus() {
  return <PasswordResetStatusScreen {...useLoaderData<typeof loader>()} />;
}
