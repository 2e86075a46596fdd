import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { FactorResetStatusScreen } from "./reset-status-page.tsx";
import { factorResetStatusView } from "./page-data.server.ts";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const view = await factorResetStatusView(context, request);
  return data(view, view.status);
}

export default function FactorResetStatus() {
  return <FactorResetStatusScreen {...useLoaderData<typeof loader>()} />;
}
