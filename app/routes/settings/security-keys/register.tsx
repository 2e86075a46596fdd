import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { useShown } from "#app/routes/settings/shown.ts";
import { requireFreshSettings } from "#app/http/settings-session.server.ts";
import { OwnKeySetUpScreen } from "./register-page.tsx";
import { ownKeySetUpView } from "#app/routes/settings/factor-setup.server.ts";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const view = await ownKeySetUpView(context, request, settings);
  return data(view, view.status);
}

export default function RegisterFido2() {
  return <OwnKeySetUpScreen {...useShown(useLoaderData<typeof loader>())} />;
}
