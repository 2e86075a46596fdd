import type { LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, useLoaderData, useLocation, useRouteLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { findUserInfo } from "#app/domain/account/overview.server.ts";
import { findRoleForPages } from "#app/http/administration.server.ts";
import { loadSettings } from "#app/http/settings-session.server.ts";
import { SettingsFailure } from "#app/routes/settings/failure.tsx";
import { administrationPages } from "#app/ui/administration-pages.ts";
import { SideIcon, SideNavigation } from "#app/ui/side-navigation.tsx";
import { SiteHeader } from "#app/ui/site-header.tsx";

/** Loads header and navigation of the administration; null without a role: then the page is an error page, or redirects. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await loadSettings(context, request);
  const user = settings && (await findUserInfo(context, settings.access));
  const role = user && (await findRoleForPages(context, user.userId));
  if (!settings || !user || !role) return null;
  const { displayName: name, picture } = user;
  if (picture !== null) context.allowPicture(picture);
  return { header: { name, picture, xsrf: settings.xsrf }, role };
}

/** The frame of the pages under /manage/admin, which are documents without a router in the browser. */
export default function AdministrationLayout() {
  return (
    <>
      <Frame data={useLoaderData<typeof loader>()} />
      <Outlet />
    </>
  );
}

export function ErrorBoundary() {
  const data = useRouteLoaderData<typeof loader>("routes/settings/administration/layout") ?? null;
  return (
    <>
      <Frame data={data} />
      <SettingsFailure isFramed={data !== null} />
    </>
  );
}

type FrameData = Awaited<ReturnType<typeof loader>>;

function Frame({ data }: { data: FrameData }): ReactNode {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  if (data === null) return null;
  const { name, picture, xsrf } = data.header;
  const pages = administrationPages(data.role).map(({ to, text, icon }) => (
    <li key={to}>
      <a href={to} aria-current={currentState(to, pathname)}>
        <SideIcon path={icon} />
        {t(text)}
      </a>
    </li>
  ));
  return (
    <>
      <SiteHeader name={name} picture={picture} signOut={{ method: "post", action: "/manage/sign-out", xsrf }} />
      <SideNavigation area="administration" mayAdminister pages={pages} />
    </>
  );
}

/** Returns `page` for the first page of an entry, `true` for its other pages. */
function currentState(to: string, pathname: string) {
  if (pathname === to) return "page";
  return pathname.startsWith(`${to}/`) ? "true" : undefined;
}
