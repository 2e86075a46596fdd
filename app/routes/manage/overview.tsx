import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { useShown } from "#app/components/shown.ts";
import { requireSettings } from "#app/http/manage-session.server.ts";
import { OverviewScreen } from "#app/screens/manage-overview.tsx";
import { overviewView } from "#app/views/manage-overview.server.ts";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  const view = await overviewView(context, request, settings);
  return data(view, view.status);
}

export default function Overview() {
  return <OverviewScreen {...useShown(useLoaderData<typeof loader>())} />;
}
