import type { SettingsHolder } from "#app/db/repositories/manage-generation.server.ts";
import { removeRecoveryCodes } from "#app/db/repositories/recovery-codes.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { admitFactorAttempt } from "#app/domain/second-factor/attempts.server.ts";
import { findFactors, hasFactor } from "#app/domain/second-factor/factors.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import type { SettingsAccess } from "./access.ts";
import { recordSettings } from "./change-account.server.ts";

/** Too many failed attempts. */
export type Throttled = { kind: "throttled"; retryAfterSeconds: number };

/**
 * Counts a second-factor attempt before its factor is checked, together with those at sign-in. Returns null if it is
 * allowed.
 * @param factor name in the audit trail
 */
export async function admitOwnAttempt(
  context: AuditDeps,
  access: SettingsAccess,
  metadata: RequestMetadata,
  factor: "totp" | "security key",
): Promise<Throttled | null> {
  const retryAfterSeconds = await admitFactorAttempt(context, access.userId);
  if (retryAfterSeconds === 0) return null;
  await recordSettings(context, access, metadata, { type: "factor.throttled", outcome: "refused", reason: factor });
  return { kind: "throttled", retryAfterSeconds };
}

/** Returns the slot of an operation that must finish where it started. A page and its API calls share it. */
export function slotOf(holder: SettingsHolder): string {
  const isApplication = holder.kind === "chain" && holder.pageSessionHash === null;
  return isApplication ? `settings/chain/${holder.chainId}` : `settings/page/${holder.pageSessionHash}`;
}

/** Removes the recovery codes of a user without a second factor. Call it in a transaction. */
export async function removeOrphanedCodes(store: Store, userId: string): Promise<void> {
  if (!hasFactor(await findFactors(store, userId))) await removeRecoveryCodes(store, userId);
}
