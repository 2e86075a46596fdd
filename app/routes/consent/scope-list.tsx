import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SCOPES } from "#app/domain/scope/scopes.ts";
import { scopeName } from "#app/ui/scope-name.ts";
import { ScopeIcon } from "./scope-icon.tsx";

/** What an application asks for, in the order given. */
export function ScopeList({ ids }: { ids: readonly string[] }): ReactNode {
  return (
    <ul className="scopes">
      {ids.map((id) => (
        <li key={id}>
          <ScopeRow id={id} />
        </li>
      ))}
    </ul>
  );
}

function ScopeRow({ id }: { id: string }): ReactNode {
  const { t } = useTranslation();
  const scope = SCOPES.find((known) => known.id === id);
  return (
    <>
      <ScopeIcon name={scope?.icon ?? null} />
      <span>
        <b>{scopeName(t, id)}</b>
        <small>{scope ? t(`scope.${scope.id}.description`) : t("scope.unknown.description")}</small>
      </span>
    </>
  );
}
