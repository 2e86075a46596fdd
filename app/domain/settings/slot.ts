import type { SettingsHolder } from "#app/db/repositories/manage-generation.server.ts";

/** Returns the slot of an operation that must finish where it started. A page and its API calls share it. */
export function slotOf(holder: SettingsHolder): string {
  const isApplication = holder.kind === "chain" && holder.pageSessionHash === null;
  return isApplication ? `settings/chain/${holder.chainId}` : `settings/page/${holder.pageSessionHash}`;
}
