import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import type { PendingSignIn } from "./pending.server.ts";

/** Input of the second-factor calls: the mfa_token, and the request metadata. */
export type FactorInput = RequestMetadata & { mfaToken: string };

/** Factor names in the audit trail. */
export type FactorName = "totp" | "security key" | "recovery code";

const OUTCOMES = {
  "factor.added": "ok",
  "factor.accepted": "ok",
  "factor.refused": "refused",
  "factor.throttled": "refused",
  "recovery-code.used": "ok",
  "security-key.flagged": "refused",
} as const;

/** A call about a factor of a pending sign-in. */
export type FactorEvent = { pending: PendingSignIn; name: FactorName; metadata: RequestMetadata };

/** Records a factor event of a pending sign-in, without the code. In a transaction, call it last. */
export async function recordFactor(
  context: AuditDeps,
  type: keyof typeof OUTCOMES,
  { pending, name, metadata }: FactorEvent,
): Promise<void> {
  const { userId, clientId } = pending;
  const { address, userAgent, requestId } = metadata;
  const outcome = OUTCOMES[type];
  await recordEvent(context, { type, outcome, reason: name, userId, clientId, address, userAgent, requestId });
}
