import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { requireFreshSettings } from "#app/http/settings-session.server.ts";
import { ownKeySetUpView } from "#app/routes/settings/factor-setup.server.ts";
import { useDocumentState } from "#app/routes/settings/page.tsx";
import { OwnKeySetUpScreen } from "./register-page.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const view = await ownKeySetUpView(context, request, settings);
  return data(view, view.status);
}

export default function RegisterFido2() {
  return <OwnKeySetUpScreen {...useDocumentState(useLoaderData<typeof loader>())} />;
}
