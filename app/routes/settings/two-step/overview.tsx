import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { requireSettings } from "#app/http/settings-session.server.ts";
import { useDocumentState } from "#app/routes/settings/page.tsx";
import { twoStepView } from "#app/routes/settings/two-step.server.ts";
import { TwoStepScreen } from "./overview-page.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  const view = await twoStepView(context, request, settings);
  return data(view, view.status);
}

export default function TwoStep() {
  return <TwoStepScreen {...useDocumentState(useLoaderData<typeof loader>())} />;
}
