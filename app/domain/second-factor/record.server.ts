import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import type { PendingSignIn } from "./pending.server.ts";

/** Who calls: the bearer's mfa_token, and where the request comes from. */
export type FactorInput = RequestMetadata & { mfaToken: string };

/** The kinds of factor as the log names them. */
export type FactorName = "totp" | "security key" | "recovery code";

const OUTCOMES = {
  "factor.added": "ok",
  "factor.accepted": "ok",
  "factor.refused": "refused",
  "factor.throttled": "refused",
  "recovery-code.used": "ok",
  "security-key.flagged": "refused",
} as const;

/** A call about a factor, in which sign-in. */
export type FactorCall = { pending: PendingSignIn; name: FactorName; facts: RequestMetadata };

/** Records what happened to a factor in a pending sign-in. Never the code itself. In a transaction call it last. */
export async function recordFactor(
  context: AuditDeps,
  type: keyof typeof OUTCOMES,
  { pending, name, facts }: FactorCall,
): Promise<void> {
  const { userId, clientId } = pending;
  const { address, userAgent, requestId } = facts;
  const outcome = OUTCOMES[type];
  await recordEvent(context, { type, outcome, reason: name, userId, clientId, address, userAgent, requestId });
}
