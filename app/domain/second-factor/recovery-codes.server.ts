import { createRecoveryCodes, type RecoveryCodesContext } from "#app/domain/recovery-code/create.server.ts";
import { findPending } from "./pending.server.ts";
import type { FactorInput } from "./record.server.ts";

/**
 * Makes recovery codes for somebody who has just set up a factor in this sign-in, and had none before. "unauthorized"
 * for everybody else: who only knows a password gets no codes. Throws DomainError "overloaded".
 */
export async function createFirstRecoveryCodes(
  context: RecoveryCodesContext,
  input: FactorInput,
): Promise<{ kind: "made"; codes: string[] } | { kind: "unauthorized" }> {
  const pending = await findPending(context, input);
  if (!pending?.setUp) return { kind: "unauthorized" };
  const { userId, clientId } = pending;
  const { address, userAgent, requestId } = input;
  const made = await createRecoveryCodes(context, { userId, clientId, address, userAgent, requestId });
  return made.kind === "made" ? made : { kind: "unauthorized" };
}
