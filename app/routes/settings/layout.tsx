import type { LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, useLoaderData } from "@remix-run/react";
import { findUserInfo } from "#app/domain/settings/overview.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { requireSettings, UNAUTHORIZED_URL } from "#app/http/settings-session.server.ts";
import { findClientView } from "#app/oidc/client-view.server.ts";
import { SettingsHeader } from "./header.tsx";

/** Whose settings are open: every page below names the account. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const { access, xsrf } = await requireSettings(context, request);
  const user = await findUserInfo(context, access);
  if (!user) return redirect303(UNAUTHORIZED_URL);
  const { displayName: name, picture, returnToUrl } = user;
  if (picture !== null) context.allowPicture(picture);
  const client = returnToUrl === null ? null : await findClientView(context.store, access.clientId);
  return { name, picture, returnToUrl, clientName: client?.name ?? null, appUrl: context.config.appUrl, xsrf };
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
