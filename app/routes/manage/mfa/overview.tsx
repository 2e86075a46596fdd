import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { useShown } from "#app/components/shown.ts";
import { requireSettings } from "#app/http/manage-session.server.ts";
import { TwoStepScreen } from "#app/screens/manage-mfa.tsx";
import { twoStepView } from "#app/views/manage-mfa.server.ts";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  const view = await twoStepView(context, request, settings);
  return data(view, view.status);
}

export default function TwoStep() {
  return <TwoStepScreen {...useShown(useLoaderData<typeof loader>())} />;
}
