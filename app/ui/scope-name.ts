import type { TFunction } from "i18next";
import { SCOPES } from "#app/domain/scope/scopes.ts";

/** Returns the display name of a scope. */
export function scopeName(t: TFunction, id: string): string {
  const scope = SCOPES.find((known) => known.id === id);
  return scope ? t(`scope.${scope.id}.label`) : t("scope.unknown.label", { scope: id });
}

/** Removes scopes with the name of an earlier one: `offline` and `offline_access` are the same permission. */
export function distinctScopes(t: TFunction, ids: readonly string[]): string[] {
  const byName = new Map(ids.toReversed().map((id) => [scopeName(t, id), id]));
  return ids.filter((id) => byName.get(scopeName(t, id)) === id);
}
