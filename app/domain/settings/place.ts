import type { SettingsHolder } from "#app/db/repositories/manage-generation.server.ts";

/**
 * Where something that takes two steps was begun: it can be ended only there. A page and the calls that it makes are one
 * place.
 */
export function placeOf(holder: SettingsHolder): string {
  const isApplication = holder.kind === "chain" && holder.pageSessionHash === null;
  return isApplication ? `settings/chain/${holder.chainId}` : `settings/page/${holder.pageSessionHash}`;
}
