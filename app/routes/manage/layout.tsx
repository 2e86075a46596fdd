import type { LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, useLoaderData } from "@remix-run/react";
import { SettingsHeader } from "#app/components/settings-header.tsx";
import { findSettingsAccount } from "#app/domain/settings/account.server.ts";
import { requireSettings } from "#app/http/manage-session.server.ts";

/** Whose settings are open: every page below names the account. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const { access } = await requireSettings(context, request);
  const { displayName } = await findSettingsAccount(context, access);
  return { name: displayName, returnToUrl: access.returnToUrl };
}

export default function SettingsLayout() {
  const header = useLoaderData<typeof loader>();
  return (
    <>
      <SettingsHeader {...header} />
      <Outlet />
    </>
  );
}
