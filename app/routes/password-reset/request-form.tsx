import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { resetRequestView } from "./page-data.server.ts";
import { PasswordResetRequestScreen } from "./request-form-page.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const username = new URL(request.url).searchParams.get("username")?.slice(0, 64) ?? "";
  const view = await resetRequestView(context, request, { username });
  return data(view, view.status);
}

export default function PasswordResetRequestForm() {
  return <PasswordResetRequestScreen {...useLoaderData<typeof loader>()} />;
}
