import { Outlet, useRouteLoaderData } from "@remix-run/react";
import { SettingsFailure } from "#app/routes/settings/failure.tsx";
import { LAYOUT_ID } from "./layout-id.ts";

/** Below the layout, so that errors of the pages keep its header and navigation. */
export default function SettingsPages() {
  return <Outlet />;
}

export function ErrorBoundary() {
  return <SettingsFailure isFramed={useRouteLoaderData(LAYOUT_ID) != null} />;
}
