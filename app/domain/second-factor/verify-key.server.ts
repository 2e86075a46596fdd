import type { Config } from "#app/config/config.ts";
import type { VerifiedAssertion } from "#app/domain/webauthn/assertion.server.ts";
import type { StartedAssertion } from "#app/domain/webauthn/options.ts";
import { acceptFactor, type FactorDeps, type Unauthorized, type Verified } from "./accept.server.ts";
import {
  admitFactorAttempt,
  type FactorEvent,
  type FactorInput,
  findFactorWait,
  recordFactor,
  refuseFactor,
} from "./attempts.server.ts";
import { findPending, type PendingSignIn } from "./pending.server.ts";

/** Dependencies of the security-key functions. */
export type KeyDeps = FactorDeps & { config: Pick<Config, "issuer"> };

/** Too many failed attempts. */
export type Throttled = { kind: "throttled"; retryAfterSeconds: number };

/** Result of `startKeyCheck`. */
export type KeyCheckStart =
  | ({ kind: "started" } & StartedAssertion)
  | Unauthorized
  /** The user has no key that is registered for this host. */
  | { kind: "no key" }
  | Throttled;

/** Result of `verifyKey`. */
export type KeyCheck =
  | Verified
  | Unauthorized
  /** `counter`: the key may have been copied and is now flagged. The page must inform the user. */
  | { kind: "refused"; reason: "unknown key" | "verification" | "counter" }
  | Throttled;

/** Loaded on demand: the library takes as long to load as oidc-provider. */
const assertions = () => import("#app/domain/webauthn/assertion.server.ts");

/** Starts an assertion by one of the user's security keys. Replaces an earlier assertion of the same sign-in. */
export async function startKeyCheck(
  context: KeyDeps,
  { mfaToken, browser }: { mfaToken: string; browser: string },
): Promise<KeyCheckStart> {
  const pending = await findPending(context, { mfaToken, browser });
  if (!pending) return { kind: "unauthorized" };
  const retryAfterSeconds = await findFactorWait(context, pending.userId);
  if (retryAfterSeconds > 0) return { kind: "throttled", retryAfterSeconds };
  const { startAssertion } = await assertions();
  const started = await startAssertion(context, ceremonyOwner(pending, browser));
  return started ? { kind: "started", ...started } : { kind: "no key" };
}

/**
 * Accepts a security key as the second factor. `assertion` is the browser's unverified response to the latest
 * `startKeyCheck`. Every response consumes the ceremony; a refused one counts as an attempt and keeps the mfa_token.
 */
export async function verifyKey(
  context: KeyDeps,
  { mfaToken, assertion, ...metadata }: FactorInput & { assertion: unknown },
): Promise<KeyCheck> {
  const pending = await findPending(context, { mfaToken, browser: metadata.browser });
  if (!pending) return { kind: "unauthorized" };
  const call: FactorEvent = { pending, name: "security key", metadata };
  const retryAfterSeconds = await admitFactorAttempt(context, pending.userId);
  if (retryAfterSeconds > 0) {
    await recordFactor(context, "factor.throttled", call);
    return { kind: "throttled", retryAfterSeconds };
  }
  const { acceptAssertion, checkAssertion } = await assertions();
  const result = await checkAssertion(context, { owner: ceremonyOwner(pending, metadata.browser), assertion });
  if (result.kind === "refused") {
    await refuseFactor(context, call);
    return result;
  }
  const outcome = await acceptFactor(context, { ...call, method: "hwk" }, (tx) =>
    acceptAssertion({ store: tx, clock: context.clock }, result.assertion),
  );
  return outcome.kind === "spent" ? refuse(context, call, result.assertion) : outcome;
}

/** Returns the owner of a security-key ceremony of this sign-in. */
export function ceremonyOwner({ userId, generation, uid }: PendingSignIn, browser: string) {
  return { userId, generation, browser, slot: uid };
}

async function refuse(context: KeyDeps, call: FactorEvent, assertion: VerifiedAssertion): Promise<KeyCheck> {
  const { refuseAssertion } = await assertions();
  return context.store.tx(async (tx) => {
    const deps = { ...context, store: tx };
    const reason = await refuseAssertion(deps, assertion);
    if (reason === "counter") await recordFactor(deps, "security-key.flagged", call);
    else await refuseFactor(deps, call);
    return { kind: "refused", reason };
  });
}
