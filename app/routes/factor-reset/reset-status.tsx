import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { factorResetStatusView } from "./page-data.server.ts";
import { FactorResetStatusScreen } from "./reset-status-page.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const view = await factorResetStatusView(context, request);
  return data(view, view.status);
}

export default function FactorResetStatus() {
  return <FactorResetStatusScreen {...useLoaderData<typeof loader>()} />;
}
