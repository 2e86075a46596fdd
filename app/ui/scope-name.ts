import type { TFunction } from "i18next";
import { SCOPES } from "#app/domain/scope/scopes.ts";

/** What people call a scope. */
export function scopeName(t: TFunction, id: string): string {
  const scope = SCOPES.find((known) => known.id === id);
  return scope ? t(`scope.${scope.id}.label`) : t("scope.unknown.label", { scope: id });
}
