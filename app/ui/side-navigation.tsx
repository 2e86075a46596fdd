import type { ParseKeys } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ADMINISTRATION_PATH } from "./administration-path.ts";
import { useDocumentContext } from "./document-context.tsx";
import { LineIcon } from "./line-icon.tsx";

/** The areas of the product for signed-in users, from top to bottom. `icon`: path of an SVG of 20 x 20. */
const AREAS = [
  { id: "start", href: "/", text: "manage.areas.start", icon: "M3 9.5 10 3l7 6.5M5 8v9h10V8" },
  {
    id: "settings",
    href: "/manage/open",
    text: "manage.title",
    icon: "M4 9h12v8H4zM6.5 9V6.5a3.5 3.5 0 0 1 7 0V9M10 12.5v1.5",
  },
  {
    id: "administration",
    href: ADMINISTRATION_PATH,
    text: "admin.title",
    icon: "M7.5 9.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5zM2.5 16c.4-2.6 2.4-4 5-4s4.6 1.4 5 4M13 4.3a2.75 2.75 0 0 1 0 4.9M14.5 12.2c1.7.5 2.8 1.8 3 3.8",
  },
] as const satisfies readonly { id: string; href: string; text: ParseKeys; icon: string }[];

type Area = (typeof AREAS)[number];

type SideNavigationProps = {
  /** The area of the page. */
  area: Area["id"];
  /** True if the user has a role, and so the area of the administration. */
  mayAdminister: boolean;
  /** Links to the pages of this area, as items of a list; missing for an area of one page. */
  pages?: ReactNode;
};

/**
 * Navigation in wide windows: the pages of the current area below its name, and one link to each other area. An
 * only area is shown without its name. Narrow windows have a link back instead.
 */
export function SideNavigation({ area, mayAdminister, pages }: SideNavigationProps): ReactNode {
  const { t } = useTranslation();
  const { hasStartPage } = useDocumentContext();
  const areas = AREAS.filter(({ id }) => {
    if (id === "administration") return mayAdminister;
    return hasStartPage || id === area || (id === "settings" && mayAdminister);
  });
  const at = areas.findIndex(({ id }) => id === area);
  const [current] = areas.slice(at, at + 1);
  return (
    <nav className="side" aria-label={t("manage.areas.label")}>
      {pages && current ? (
        <>
          <AreaLinks areas={areas.slice(0, at)} />
          {areas.length > 1 ? <h2 id="area">{t(current.text)}</h2> : null}
          <ul aria-labelledby={areas.length > 1 ? "area" : undefined}>{pages}</ul>
          <AreaLinks areas={areas.slice(at + 1)} />
        </>
      ) : (
        <AreaLinks areas={areas} current={area} />
      )}
    </nav>
  );
}

/** Plain links, because the areas do not share a router. */
function AreaLinks({ areas, current }: { areas: readonly Area[]; current?: Area["id"] }): ReactNode {
  const { t } = useTranslation();
  if (areas.length === 0) return null;
  return (
    <ul>
      {areas.map(({ id, href, text, icon }) => (
        <li key={id}>
          <a href={href} aria-current={id === current ? "page" : undefined}>
            <SideIcon path={icon} />
            {t(text)}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The icon of a link in the side navigation. */
export function SideIcon({ path }: { path: string }): ReactNode {
  return <LineIcon path={path} strokeWidth={1.5} />;
}
