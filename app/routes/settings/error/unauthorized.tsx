import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { loadErrorPage } from "./error.server.ts";
import { SettingsErrorPage } from "./error.tsx";

/** Outside the layout: the browser has no access to the settings, or was refused another one. */
export function loader(args: LoaderFunctionArgs) {
  return loadErrorPage(args, "unauthorized");
}

export default function Unauthorized() {
  return <SettingsErrorPage {...useDocumentState(useLoaderData<typeof loader>())} isFramed={false} />;
}
