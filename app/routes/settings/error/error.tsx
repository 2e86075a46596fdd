import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { useDocumentState } from "#app/routes/settings/page.tsx";
import { settingsErrorView } from "./error-page.server.ts";
import { SettingsErrorScreen } from "./error-page.tsx";

/** Every code is shown, those that nobody has heard of too. */
export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const view = await settingsErrorView(context, request, params.code ?? "page_not_found");
  return data(view, view.status);
}

export default function SettingsError() {
  return <SettingsErrorScreen {...useDocumentState(useLoaderData<typeof loader>())} />;
}
