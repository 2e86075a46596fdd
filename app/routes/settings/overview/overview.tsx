import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { requireSettings } from "#app/http/settings-session.server.ts";
import { useDocumentState } from "#app/routes/settings/page.tsx";
import { overviewView } from "./overview-page.server.ts";
import { OverviewScreen } from "./overview-page.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  const view = await overviewView(context, request, settings);
  return data(view, view.status);
}

export default function Overview() {
  return <OverviewScreen {...useDocumentState(useLoaderData<typeof loader>())} />;
}
