import { renewOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { createRecoveryCodes, type RecoveryCodesDeps } from "#app/domain/recovery-code/create.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { FactorInput } from "./attempts.server.ts";
import { findPending } from "./pending.server.ts";

/**
 * Creates recovery codes for a user who set up the first factor in this sign-in; "unauthorized" for all others, because
 * a password alone must not give codes. Invalidates the mfa_token, so that a form submitted twice does not show two
 * sets, one of them invalid. Throws DomainError "overloaded".
 */
export async function createFirstRecoveryCodes(
  context: RecoveryCodesDeps,
  input: FactorInput,
): Promise<{ kind: "made"; codes: string[] } | { kind: "unauthorized" }> {
  const pending = await findPending(context, input);
  if (!pending?.setUp) return { kind: "unauthorized" };
  const { userId, clientId, tokenHash: from } = pending;
  const { store, clock, random } = context;
  const renewal = { kind: "mfa", from, to: hashToken(random.token()), now: clock.now() } as const;
  if (!(await renewOneTimeToken(store, renewal))) return { kind: "unauthorized" };
  const { address, userAgent, requestId } = input;
  const created = await createRecoveryCodes(context, { userId, clientId, address, userAgent, requestId });
  return created.kind === "made" ? created : { kind: "unauthorized" };
}
