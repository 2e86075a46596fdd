import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { admitFactorAttempt } from "#app/domain/second-factor/attempts.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import type { SettingsAccess } from "./access.ts";
import { recordSettings } from "./record.server.ts";

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
