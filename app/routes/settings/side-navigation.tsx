import { Link, useLocation } from "@remix-run/react";
import type { ParseKeys } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { settingsTarget } from "#app/domain/access/settings-path.ts";
import { SideIcon, SideNavigation } from "#app/ui/side-navigation.tsx";

/** The section of the overview; left out when no provider is configured. */
const ACCOUNTS = "/manage#accounts";

type SettingsArea = { to: string; text: ParseKeys; icon: string; below?: string };

/** The areas of the settings. `below`: path of the area's other pages. `icon`: path of an SVG of 20 x 20. */
const AREAS: readonly SettingsArea[] = [
  { to: "/manage", text: "manage.areas.overview", icon: "M4 3h12v14H4zM7 7h6M7 10h6M7 13h4" },
  {
    to: "/manage/credentials/password",
    text: "manage.credentials.password",
    icon: "M4 9h12v8H4zM6.5 9V6.5a3.5 3.5 0 0 1 7 0V9M10 12.5v1.5",
  },
  {
    to: "/manage/credentials/username",
    text: "manage.credentials.username",
    icon: "M10 10a3.25 3.25 0 1 0 0-6.5 3.25 3.25 0 0 0 0 6.5zM3.5 17c.6-3 3.2-4.5 6.5-4.5s5.9 1.5 6.5 4.5",
  },
  {
    to: "/manage/mfa",
    text: "manageMfa.title",
    icon: "M10 2.5 16 5v4.5c0 4-2.5 6.5-6 8-3.5-1.5-6-4-6-8V5zM7.3 10l2 2 3.5-3.8",
    below: "/manage/mfa/",
  },
  {
    to: ACCOUNTS,
    text: "manage.providers.heading",
    icon: "M8.5 11.5a3 3 0 0 0 4.3 0l3-3a3 3 0 0 0-4.3-4.3l-.9.9M11.5 8.5a3 3 0 0 0-4.3 0l-3 3a3 3 0 0 0 4.3 4.3l.9-.9",
    below: "/manage/oauth/",
  },
  { to: "/manage/sessions", text: "manage.access.sessions", icon: "M2.5 4h15v9.5h-15zM7 17h6M10 13.5V17" },
  {
    to: "/manage/applications",
    text: "manage.access.applications",
    icon: "M3 3h5.5v5.5H3zM11.5 3H17v5.5h-5.5zM3 11.5h5.5V17H3zM11.5 11.5H17V17h-5.5z",
  },
  {
    to: "/manage/activity",
    text: "manage.access.activity",
    icon: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l2.75 1.75",
  },
  {
    to: "/manage/language",
    text: "manageLanguage.title",
    icon: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM3 10h14M10 3c-4 4.5-4 9.5 0 14M10 3c4 4.5 4 9.5 0 14",
  },
];

type NavigationProps = {
  hasProviders: boolean;
  /** True if the user has a role. */
  mayAdminister: boolean;
};

/** Links to the pages of the settings, below the link to the start page. */
export function SettingsNavigation({ hasProviders, mayAdminister }: NavigationProps): ReactNode {
  const { t } = useTranslation();
  const { pathname, search } = useLocation();
  // The confirmation of the user is shown as part of the page to which it leads.
  const shown = pathname === "/manage/confirm" ? settingsTarget(new URLSearchParams(search).get("to")) : pathname;
  const areas = AREAS.filter(({ to }) => hasProviders || to !== ACCOUNTS);
  const pages = areas.map(({ to, text, icon, below }) => (
    <li key={to}>
      {/* The router does not scroll to a fragment. */}
      <Link to={to} reloadDocument={to.includes("#")} aria-current={currentState({ to, below }, shown)}>
        <SideIcon path={icon} />
        {t(text)}
      </Link>
    </li>
  ));
  return <SideNavigation area="settings" mayAdminister={mayAdminister} pages={pages} />;
}

/** Returns `page` for the area's first page, `true` for its other pages. */
function currentState({ to, below }: Pick<SettingsArea, "to"> & { below: string | undefined }, pathname: string) {
  if (pathname === to) return "page";
  return below !== undefined && pathname.startsWith(below) ? "true" : undefined;
}
