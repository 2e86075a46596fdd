import { clearDefaultFactor } from "#app/db/repositories/factors.server.ts";
import type { SettingsHolder } from "#app/db/repositories/manage-generation.server.ts";
import { removeRecoveryCodes } from "#app/db/repositories/recovery-codes.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { SettingsAccess } from "#app/domain/access/access.ts";
import { recordSettings } from "#app/domain/access/record.server.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { findFactors, hasFactor } from "#app/domain/factor/factors.server.ts";
import { findThrottle, type Throttled } from "#app/domain/pending-sign-in/attempts.server.ts";
import type { RequestMetadata } from "#app/ports.ts";

/**
 * Runs `check` unless the user is throttled, and records a throttled attempt. Failed attempts are counted together with
 * those at sign-in.
 * @param factor name in the audit trail
 */
export async function limitOwnFactor<Result extends { kind: string }>(
  context: AuditDeps,
  access: Pick<SettingsAccess, "userId" | "clientId">,
  { metadata, factor }: { metadata: RequestMetadata; factor: "totp" | "security key" | "passkey" },
  check: () => Promise<Result | Throttled>,
): Promise<Result | Throttled> {
  const result = (await findThrottle(context, access.userId)) ?? (await check());
  if (result.kind === "throttled") {
    await recordSettings(context, access, metadata, { type: "factor.throttled", outcome: "refused", reason: factor });
  }
  return result;
}

/** Returns the slot of an operation that must finish where it started. A page and its API calls share it. */
export function slotOf(holder: SettingsHolder): string {
  const isApplication = holder.kind === "chain" && holder.pageSessionHash === null;
  return isApplication ? `settings/chain/${holder.chainId}` : `settings/page/${holder.pageSessionHash}`;
}

/**
 * Removes what depended on a removed factor: its choice as the default, and the recovery codes of a user without a
 * second factor. Call it in a transaction.
 */
export async function removeDependents(store: Store, userId: string): Promise<void> {
  const factors = await findFactors(store, userId);
  if (!factors.totp) await clearDefaultFactor(store, userId, "totp");
  if (factors.securityKeys === 0) await clearDefaultFactor(store, userId, "fido2");
  if (!hasFactor(factors)) await removeRecoveryCodes(store, userId);
}
