import type { Config } from "#app/config/config.ts";
import { renewOneTimeToken } from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { readCode } from "#app/domain/factor/code.ts";
import { hasFactorToGive } from "#app/domain/factor/factors.server.ts";
import {
  type FactorInput,
  limitFactor,
  recordFactor,
  refuseAttempt,
} from "#app/domain/pending-sign-in/attempts.server.ts";
import { findPending, maySetUp, type PendingSignIn } from "#app/domain/pending-sign-in/pending.server.ts";
import { createRecoveryCodes, type RecoveryCodesDeps } from "#app/domain/recovery-code/create.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import {
  checkFirstCode,
  findTotp,
  type SetUpSlot,
  type ShownSecret,
  showSecret,
  startTotp,
  storeTotp,
} from "#app/domain/totp/set-up.server.ts";
import {
  type AlreadyRegistered,
  type FactorDeps,
  type ProofTooOld,
  storeFirstFactor,
  type Unauthorized,
  type VerifiedFactor,
} from "./accept.server.ts";
import type { CodeResult } from "./verify-code.server.ts";

/** Dependencies of setting up an authenticator app. */
type SetUpDeps = FactorDeps & { secrets: Secrets; config: Pick<Config, "productName"> };

/**
 * Starts the set-up of an authenticator app in the middle of a sign-in, with a new secret. Refused for users with any
 * factor: otherwise a stolen password would suffice to add one.
 */
export async function startTotpSetUp(
  context: SetUpDeps,
  input: Pick<FactorInput, "mfaToken" | "browser">,
): Promise<({ kind: "started" } & ShownSecret) | Unauthorized | AlreadyRegistered | ProofTooOld> {
  const pending = await findPending(context, input);
  if (!pending) return { kind: "unauthorized" };
  if (await hasFactorToGive(context, pending.userId)) return { kind: "factor already registered" };
  if (!maySetUp(pending, context.clock.now())) return { kind: "reauthentication_required" };
  const { secretBase32 } = await startTotp(context, slotOf(pending));
  return { kind: "started", ...(await shown(context, pending, secretBase32)) };
}

/** Returns the secret of a started set-up. Null if none was started or it is expired. */
export async function findTotpSetUp(context: SetUpDeps, pending: PendingSignIn): Promise<ShownSecret | null> {
  const setUp = await findTotp(context, slotOf(pending));
  return setUp && shown(context, pending, setUp.secretBase32);
}

/**
 * Finishes the set-up with the app's first code, which counts as given and is single-use. Attempts count as in
 * `verifyCode`. "totp not found": no set-up was started here, or it is expired.
 */
export async function finishTotpSetUp(
  context: SetUpDeps,
  input: FactorInput & { code: string },
): Promise<CodeResult | AlreadyRegistered | ProofTooOld | { kind: "totp not found" }> {
  const pending = await findPending(context, input);
  if (!pending) return { kind: "unauthorized" };
  // Read before the factors: a concurrent set-up that finishes in between removes this one.
  const setUp = await findTotp(context, slotOf(pending));
  if (await hasFactorToGive(context, pending.userId)) return { kind: "factor already registered" };
  if (!maySetUp(pending, context.clock.now())) return { kind: "reauthentication_required" };
  const parsed = readCode(input.code);
  if (parsed.kind !== "totp") return { kind: "malformed" };
  if (!setUp) return { kind: "totp not found" };
  const factor: VerifiedFactor = { pending, method: "otp", name: "totp", metadata: input };
  return limitFactor(context, factor, async () => {
    const checked = await checkFirstCode(context, setUp, parsed.code);
    if (checked.kind === "refused") {
      return refuseAttempt(context, pending.userId, async (store) => {
        await recordFactor({ ...context, store }, "factor.refused", factor);
        return checked;
      });
    }
    const outcome = await storeFirstFactor(context, factor, (tx) =>
      storeTotp({ ...context, store: tx }, setUp, checked.step),
    );
    return outcome.kind === "spent" ? ({ kind: "totp not found" } as const) : outcome;
  });
}

/** One set-up per pending sign-in. */
function slotOf({ uid, userId, generation }: PendingSignIn): SetUpSlot {
  return { slot: uid, userId, generation };
}

async function shown(
  { store, config }: Pick<SetUpDeps, "store" | "config">,
  { userId }: PendingSignIn,
  secretBase32: string,
): Promise<ShownSecret> {
  const user = await findUser(store, userId);
  return showSecret(config, { username: user?.username ?? "" }, secretBase32);
}

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
  const { userId, generation, clientId, tokenHash: from } = pending;
  const { store, clock, random } = context;
  const renewal = { kind: "mfa", from, to: hashToken(random.token()), now: clock.now() } as const;
  if (!(await renewOneTimeToken(store, renewal))) return { kind: "unauthorized" };
  const { address, userAgent, requestId } = input;
  const created = await createRecoveryCodes(context, { userId, generation, clientId, address, userAgent, requestId });
  return created.kind === "made" ? created : { kind: "unauthorized" };
}
