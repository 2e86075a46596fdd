import type { LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, type ShouldRevalidateFunction, useLoaderData } from "@remix-run/react";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { findUserInfo } from "#app/domain/account/overview.server.ts";
import { findRoleForPages } from "#app/http/administration.server.ts";
import { loadSettings } from "#app/http/settings-session.server.ts";
import { findClientView } from "#app/oidc/client-view.server.ts";
import { SiteHeader } from "#app/ui/site-header.tsx";
import { SettingsFailure } from "./failure.tsx";
import { BackArrow } from "./page.tsx";
import { SettingsNavigation } from "./side-navigation.tsx";

/**
 * Loads the header and the navigation that all settings pages share. Null without access: then the page redirects, or
 * it is an error page, which is shown without them.
 */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await loadSettings(context, request);
  const user = settings && (await findUserInfo(context, settings.access));
  if (!user) return null;
  const { access, xsrf } = settings;
  const { displayName: name, picture, returnToUrl } = user;
  if (picture !== null) context.allowPicture(picture);
  const client = returnToUrl === null ? null : await findClientView(context.store, access.clientId);
  return {
    header: { name, picture, returnToUrl, clientName: client?.name ?? null, appUrl: context.config.appUrl, xsrf },
    hasProviders: context.upstream.providers.length > 0,
    mayAdminister: (await findRoleForPages(context, access.userId)) !== null,
  };
}

/**
 * Returns true also after a refused form, because an expired anti-forgery token would stay in the header; false while the
 * database is unavailable, so that header and navigation stay.
 */
export const shouldRevalidate: ShouldRevalidateFunction = ({ actionStatus }) => actionStatus !== 503;

/** The data of the last page that this document has shown. Only set in the browser, whose user it belongs to. */
let lastFrame: FrameData | null = null;

export default function SettingsLayout() {
  const data = useLoaderData<typeof loader>();
  useEffect(() => {
    lastFrame = data;
  }, [data]);
  return (
    <>
      {data ? <Frame {...data} /> : null}
      <Outlet />
    </>
  );
}

/** If no response arrives, or the database is unavailable, the data of header and navigation is missing, too. */
export function ErrorBoundary() {
  return (
    <>
      {lastFrame ? <Frame {...lastFrame} /> : null}
      <SettingsFailure isFramed={lastFrame !== null} />
    </>
  );
}

type FrameData = { header: HeaderProps; hasProviders: boolean; mayAdminister: boolean };

function Frame({ header, ...navigation }: FrameData): ReactNode {
  return (
    <>
      <Header {...header} />
      <SettingsNavigation {...navigation} />
    </>
  );
}

type HeaderProps = {
  /** Display name of the user. */
  name: string;
  /** URL of the user's picture, which the page's Content-Security-Policy allows; null for initials. */
  picture: string | null;
  /** URL of the application that opened the settings; null when no application did. */
  returnToUrl: string | null;
  /** Name of that application; null when it was removed. */
  clientName: string | null;
  /** The configured application, linked when there is no `returnToUrl`. */
  appUrl: string;
  /** The anti-forgery token of the settings. */
  xsrf: string;
};

function Header({ name, picture, xsrf, ...application }: HeaderProps): ReactNode {
  return (
    <SiteHeader
      name={name}
      picture={picture}
      back={<BackToApplication {...application} />}
      signOut={{ method: "post", action: "/manage/sign-out", xsrf }}
    />
  );
}

/** Shows the application's name; "back to" is part of the accessible name only. */
function BackToApplication({
  returnToUrl,
  clientName,
  appUrl,
}: Pick<HeaderProps, "returnToUrl" | "clientName" | "appUrl">): ReactNode {
  const { t } = useTranslation();
  const name = returnToUrl === null ? null : (clientName ?? new URL(returnToUrl).host);
  return (
    <a
      className="back line-link"
      href={returnToUrl ?? appUrl}
      aria-label={name === null ? undefined : t("manage.backTo", { name })}
    >
      <BackArrow />
      <span>{name ?? t("common.toApp")}</span>
    </a>
  );
}
