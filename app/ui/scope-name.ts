import type { TFunction } from "i18next";
import { SCOPES } from "#app/domain/scope/scopes.ts";

/** Returns the display name of a scope. */
export function scopeName(t: TFunction, id: string): string {
  const scope = SCOPES.find((known) => known.id === id);
  return scope ? t(`scope.${scope.id}.label`) : t("scope.unknown.label", { scope: id });
}
