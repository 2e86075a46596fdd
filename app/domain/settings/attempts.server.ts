import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { admitFactorAttempt } from "#app/domain/second-factor/attempts.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import type { SettingsAccess } from "./access.ts";
import { recordSettings } from "./record.server.ts";

/** Too many factors were wrong: nothing is checked for so long. */
export type Throttled = { kind: "throttled"; retryAfterSeconds: number };

/**
 * Counts an attempt at a factor before it is checked, together with those at a sign-in. Null when it may go on.
 * @param factor as the log names it
 */
export async function admitOwnAttempt(
  context: AuditDeps,
  access: SettingsAccess,
  facts: RequestMetadata,
  factor: "totp" | "security key",
): Promise<Throttled | null> {
  const retryAfterSeconds = await admitFactorAttempt(context, access.userId);
  if (retryAfterSeconds === 0) return null;
  await recordSettings(context, access, facts, { type: "factor.throttled", outcome: "refused", reason: factor });
  return { kind: "throttled", retryAfterSeconds };
}
