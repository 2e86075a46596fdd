import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { useShown } from "#app/routes/settings/shown.ts";
import { requireSettings } from "#app/http/settings-session.server.ts";
import { TwoStepScreen } from "./overview-page.tsx";
import { twoStepView } from "#app/routes/settings/two-step.server.ts";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  const view = await twoStepView(context, request, settings);
  return data(view, view.status);
}

export default function TwoStep() {
  return <TwoStepScreen {...useShown(useLoaderData<typeof loader>())} />;
}
