import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { findScope, SCOPES, type ScopeIcon as ScopeIconName } from "#app/domain/scope/scopes.ts";
import { LineIcon } from "#app/ui/line-icon.tsx";
import { distinctScopes, scopeName } from "#app/ui/scope-name.ts";

/** More scopes of modules than this become one row. */
const MAX_MODULE_ROWS = 5;

/** The requested scopes, in the given order. Many modules become one row with their names; their details unfold. */
export function ScopeList({ ids }: { ids: readonly string[] }): ReactNode {
  const { t } = useTranslation();
  const shown = distinctScopes(t, ids);
  const modules = shown.filter(isModule);
  if (modules.length <= MAX_MODULE_ROWS) return <Scopes ids={shown} />;
  const first = shown.findIndex(isModule);
  return (
    <ul className="scopes">
      <ScopeItems ids={shown.slice(0, first)} />
      <li>
        <ModulesRow ids={modules} />
      </li>
      <ScopeItems ids={shown.slice(first).filter((id) => !isModule(id))} />
    </ul>
  );
}

function isModule(id: string): boolean {
  return findScope(id)?.isModule ?? false;
}

function Scopes({ ids }: { ids: readonly string[] }): ReactNode {
  return (
    <ul className="scopes">
      <ScopeItems ids={ids} />
    </ul>
  );
}

function ScopeItems({ ids }: { ids: readonly string[] }): ReactNode {
  const { t } = useTranslation();
  return ids.map((id) => {
    const scope = SCOPES.find((known) => known.id === id);
    return (
      <li key={id}>
        <ScopeIcon name={scope?.icon ?? null} />
        <span>
          <b>{scopeName(t, id)}</b>
          <small>{scope ? t(`scope.${scope.id}.description`) : t("scope.unknown.description")}</small>
        </span>
      </li>
    );
  });
}

function ModulesRow({ ids }: { ids: readonly string[] }): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <ScopeIcon name="layers" />
      <div>
        <b>{t("consent.modules", { number: ids.length })}</b>
        <small>{ids.map((id) => scopeName(t, id)).join(", ")}</small>
        <details>
          <summary>{t("consent.moduleDetails")}</summary>
          <Scopes ids={ids} />
        </details>
      </div>
    </>
  );
}

function ScopeIcon({ name }: { name: ScopeIconName | null }): ReactNode {
  return <LineIcon path={name ? PATHS[name] : UNKNOWN} grid={24} />;
}

/** Line icons on a grid of 24, one path each. */
const PATHS = {
  key: "M3.5 16a4.5 4.5 0 1 0 9 0 4.5 4.5 0 1 0-9 0M11.25 12.75 20 4M16.5 7.5l3 3",
  badge:
    "M3 6h18v13H3zM9 3.5v2.5M15 3.5v2.5M6.5 15.5a2.5 2.5 0 0 1 5 0M7.5 11a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0M14.5 10.5h3.5M14.5 14.5h3.5",
  clock: "M3 12a9 9 0 1 0 18 0 9 9 0 1 0-18 0M12 7v5l3.5 2",
  person: "M8 8a4 4 0 1 0 8 0 4 4 0 1 0-8 0M4 20.5a8 8 0 0 1 16 0",
  people:
    "M5 8.5a3.5 3.5 0 1 0 7 0 3.5 3.5 0 1 0-7 0M2 19.5a6.5 6.5 0 0 1 13 0M15.5 5.25a3.5 3.5 0 0 1 0 6.5M17 14a6.5 6.5 0 0 1 5 5.5",
  house: "M3 11.5 12 4l9 7.5M5.5 9.5V20h13V9.5M10 20v-6h4v6",
  envelope: "M3 5.5h18v13H3zM3.5 7l8.5 6.5L20.5 7",
  phone: "M7 2.5h10v19H7zM10.5 18.5h3M7 5.5h10M7 15.5h10",
  shield: "M12 3l7.5 2.5V11c0 4.75-3 8.25-7.5 10-4.5-1.75-7.5-5.25-7.5-10V5.5zM8.5 11.75l2.5 2.5 4.5-4.5",
  globe: "M3 12a9 9 0 1 0 18 0 9 9 0 1 0-18 0M3 12h18M12 3c-5 5.5-5 12.5 0 18 5-5.5 5-12.5 0-18",
  folder: "M3 7V5h6l2 2h10v12H3zM3 11h18",
  tray: "M3 14v6h18v-6h-5.5a3.5 3.5 0 0 1-7 0zM12 3v8M8.5 7.5 12 11l3.5-3.5",
  layers: "M12 3l9 4.5-9 4.5-9-4.5zM3.5 12l8.5 4.25L20.5 12M3.5 16.5l8.5 4.25 8.5-4.25",
  bell: "M6 17v-6.5a6 6 0 0 1 12 0V17l1.5 1.5h-15zM10 21h4M12 4.5V3",
  chart: "M4 3v17.5h17M8.5 16.5v-5M13 16.5V7M17.5 16.5V10",
  plug: "M9 3v5M15 3v5M6 8h12v3.5a6 6 0 0 1-12 0zM12 17.5V21",
  gauge: "M4.5 18.5a9 9 0 1 1 15 0zM12 14l4-5M7 13.5h.01M12 8h.01",
  checkbox: "M6 2.5h8.5L19 7v14.5H6zM14 2.5V7.5h5M9 14l2.5 2.5 4-4.5",
  clipboard: "M8.5 4H5.5v17h13V4h-3M8.5 2.5h7v3.5h-7zM9 11h6M9 15h6",
  speech: "M3 4.5h18v12.5h-9L7.5 21v-4H3zM7.5 9h9M7.5 12.5h6",
  pulse: "M2.5 12.5H7l3-8 4.5 15 2.75-7h4.25",
  umbrella: "M12 3v1M3.5 12.5a8.5 8.5 0 0 1 17 0zM12 12.5V18a2 2 0 0 0 4 0",
  share:
    "M15.5 5.5a2.5 2.5 0 1 0 5 0 2.5 2.5 0 1 0-5 0M3.5 12a2.5 2.5 0 1 0 5 0 2.5 2.5 0 1 0-5 0M15.5 18.5a2.5 2.5 0 1 0 5 0 2.5 2.5 0 1 0-5 0M8.25 10.85l7.5-4.2M8.25 13.15l7.5 4.2",
  paw: "M12 11.5c-3 0-5.5 3-5.5 5.5 0 2 1.5 3 3 2.6 1.2-.3 1.8-.6 2.5-.6s1.3.3 2.5.6c1.5.4 3-.6 3-2.6 0-2.5-2.5-5.5-5.5-5.5zM4 10v1M8.5 5v1.5M15.5 5v1.5M20 10v1",
  card: "M3 5.5h18v13.5H3zM3 9.5h18M6.5 15h4",
  arrows: "M4 8.5h15M15.5 5 19 8.5 15.5 12M20 15.5H5M8.5 12 5 15.5 8.5 19",
  list: "M10.5 6H21M10.5 12H21M10.5 18H21M3 6l1.5 1.5 3-3M3 12l1.5 1.5 3-3M3 18l1.5 1.5 3-3",
  megaphone: "M4 9.5h4l10-5v14l-10-5H4zM8 13.5l1.5 6.5h3l-1.5-5M21 10v3",
} as const satisfies Record<ScopeIconName, string>;

/** The icon of an unknown scope. */
const UNKNOWN = "M3 12a9 9 0 1 0 18 0 9 9 0 1 0-18 0M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .9-1 1.7M12 16.75v.01";
