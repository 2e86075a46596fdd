import type { Config } from "#app/config/config.ts";
import type { Store } from "#app/db/store.server.ts";
import {
  type FactorEvent,
  type FactorInput,
  findThrottle,
  limitFactor,
  recordFactor,
  recordWrongFactor,
  refuseAttempt,
  type Throttled,
} from "#app/domain/pending-sign-in/attempts.server.ts";
import { findPending, type PendingSignIn } from "#app/domain/pending-sign-in/pending.server.ts";
import type { VerifiedAssertion } from "#app/domain/webauthn/assertion.server.ts";
import type { StartedAssertion } from "#app/domain/webauthn/options.ts";
import { acceptFactor, type FactorDeps, type Unauthorized, type Verified } from "./accept.server.ts";
import { acceptsPasskeys } from "./describe.server.ts";

/** Dependencies of the security-key functions. */
export type KeyDeps = FactorDeps & { config: Pick<Config, "issuer" | "passkeys"> };

/** Result of `startKeyCheck`. */
type KeyCheckStart =
  | ({ kind: "started" } & StartedAssertion)
  | Unauthorized
  /** The user has no key that is registered for this host. */
  | { kind: "no key" }
  | Throttled;

/** `counter`: the key may have been copied and is now flagged. The page must inform the user. */
type RefusedKey = { kind: "refused"; reason: "unknown key" | "verification" | "counter" };

/** Result of `verifyKey`. */
export type KeyCheck = Verified | Unauthorized | RefusedKey | Throttled;

/** Loaded on demand: the library takes as long to load as oidc-provider. */
const assertions = () => import("#app/domain/webauthn/assertion.server.ts");

/** Starts an assertion by one of the user's security keys or passkeys. Replaces an earlier assertion of the same sign-in. */
export async function startKeyCheck(
  context: KeyDeps,
  { mfaToken, browser }: { mfaToken: string; browser: string },
): Promise<KeyCheckStart> {
  const pending = await findPending(context, { mfaToken, browser });
  if (!pending) return { kind: "unauthorized" };
  const throttled = await findThrottle(context, pending.userId);
  if (throttled) return throttled;
  const { startAssertion } = await assertions();
  const accepted = { acceptsPasskeys: acceptsPasskeys(context.config, pending) };
  const started = await startAssertion(context, ceremonyOwner(pending, browser), accepted);
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
  return limitFactor(context, call, async () => {
    const { acceptAssertion, checkAssertion } = await assertions();
    const result = await checkAssertion(context, {
      owner: ceremonyOwner(pending, metadata.browser),
      assertion,
      acceptsPasskeys: acceptsPasskeys(context.config, pending),
    });
    if (result.kind === "refused") return refuse(context, call, async () => result.reason);
    // RFC 8176: a passkey that can leave its device is not secured by hardware.
    const method = result.isPasskey && result.assertion.backupEligible ? "swk" : "hwk";
    const outcome = await acceptFactor(context, { ...call, method }, (tx) =>
      acceptAssertion({ store: tx, clock: context.clock }, result.assertion),
    );
    return outcome.kind === "spent" ? refuseVerified(context, call, result.assertion) : outcome;
  });
}

/** Returns the owner of a security-key ceremony of this sign-in. */
export function ceremonyOwner({ userId, generation, uid }: PendingSignIn, browser: string) {
  return { userId, generation, browser, slot: uid };
}

/** Refuses an assertion that is verified but cannot be accepted. */
async function refuseVerified(context: KeyDeps, call: FactorEvent, assertion: VerifiedAssertion) {
  const { refuseAssertion } = await assertions();
  return refuse(context, call, (store) => refuseAssertion({ store, clock: context.clock }, assertion));
}

/** Counts and records a refused assertion. `findReason` runs in the same transaction. */
async function refuse(
  context: KeyDeps,
  call: FactorEvent,
  findReason: (tx: Store) => Promise<RefusedKey["reason"]>,
): Promise<RefusedKey | Throttled> {
  return refuseAttempt<RefusedKey>(context, call.pending.userId, async (store) => {
    const deps = { ...context, store };
    const reason = await findReason(store);
    if (reason === "counter") await recordFactor(deps, "security-key.flagged", call);
    else await recordWrongFactor(deps, call);
    return { kind: "refused", reason };
  });
}
