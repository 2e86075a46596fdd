import {
  listWebauthnCredentials,
  renameWebauthnCredential,
  type WebauthnCredential,
} from "#app/db/repositories/webauthn-credentials.server.ts";
import { hasFactorToGive } from "#app/domain/factor/factors.server.ts";
import {
  type FactorEvent,
  type FactorInput,
  limitFactor,
  recordFactor,
  refuseAttempt,
  type Throttled,
} from "#app/domain/pending-sign-in/attempts.server.ts";
import {
  findPending,
  maySetUp,
  type PendingDeps,
  type PendingSignIn,
} from "#app/domain/pending-sign-in/pending.server.ts";
import type { StartedRegistration } from "#app/domain/webauthn/options.ts";
import type { KeyRegistrationResponse } from "#app/domain/webauthn/registration.server.ts";
import {
  type AlreadyRegistered,
  type ProofTooOld,
  storeFirstFactor,
  type Unauthorized,
  type Verified,
} from "./accept.server.ts";
import { ceremonyOwner, type KeyDeps } from "./verify-key.server.ts";

/** Result of `startKeySetUp`. */
type KeySetUpStart =
  | ({ kind: "started" } & StartedRegistration)
  | Unauthorized
  | AlreadyRegistered
  | ProofTooOld
  /** The issuer's host is an IP address, where browsers do not support security keys. */
  | { kind: "unavailable" };

/** Result of `finishKeySetUp`. */
export type KeySetUp =
  | Verified
  | Unauthorized
  | AlreadyRegistered
  | ProofTooOld
  /** `taken`: the key is already registered, by this or another user. */
  | { kind: "refused"; reason: "verification" | "taken" }
  | Throttled;

/** Loaded on demand: the library takes as long to load as oidc-provider. */
const registrations = () => import("#app/domain/webauthn/registration.server.ts");

/**
 * Starts the registration of a security key in the middle of a sign-in, for a user without a factor. Replaces an
 * earlier registration of the same sign-in.
 */
export async function startKeySetUp(
  context: KeyDeps,
  { mfaToken, browser }: { mfaToken: string; browser: string },
): Promise<KeySetUpStart> {
  const pending = await findPending(context, { mfaToken, browser });
  if (!pending) return { kind: "unauthorized" };
  if (await hasFactorToGive(context, pending.userId)) return { kind: "factor already registered" };
  if (!maySetUp(pending, context.clock.now())) return { kind: "reauthentication_required" };
  const { startRegistration } = await registrations();
  const started = await startRegistration(context, ceremonyOwner(pending, browser));
  return started ? { kind: "started", ...started } : { kind: "unavailable" };
}

/**
 * Registers a security key and accepts it as the second factor of this sign-in. `sessionId` identifies the ceremony,
 * `credentialJson` is the JSON sent by the browser, `name` is the user's name for the key. Every response consumes the
 * ceremony; a refused one counts as an attempt and keeps the mfa_token.
 */
export async function finishKeySetUp(
  context: KeyDeps,
  { mfaToken, sessionId, credentialJson, name, firstNames, ...metadata }: FactorInput & KeyRegistrationResponse,
): Promise<KeySetUp> {
  const pending = await findPending(context, { mfaToken, browser: metadata.browser });
  if (!pending) return { kind: "unauthorized" };
  const { userId } = pending;
  if (await hasFactorToGive(context, userId)) return { kind: "factor already registered" };
  if (!maySetUp(pending, context.clock.now())) return { kind: "reauthentication_required" };
  const call: FactorEvent = { pending, name: "security key", metadata };
  return limitFactor(context, call, async () => {
    const { addKey, checkRegistration } = await registrations();
    const owner = ceremonyOwner(pending, metadata.browser);
    const key = await checkRegistration(context, { owner, sessionId, credentialJson });
    const outcome = key
      ? await storeFirstFactor(context, { ...call, method: "hwk" }, (tx) =>
          addKey({ store: tx, clock: context.clock }, { userId, key, name, firstNames }),
        )
      : null;
    if (outcome && outcome.kind !== "spent") return outcome;
    return refuseAttempt(context, userId, async (store) => {
      await recordFactor({ ...context, store }, "factor.refused", call);
      return { kind: "refused", reason: outcome ? "taken" : "verification" } as const;
    });
  });
}

/**
 * Returns the security key that was set up in this sign-in; null without a pending sign-in or such a key. The user has
 * no other: a change of the factors ends the pending sign-in. Passkeys may be older: none counts while PASSKEYS is off.
 */
export async function findFirstKey(
  { store }: Pick<PendingDeps, "store">,
  pending: PendingSignIn | null,
): Promise<WebauthnCredential | null> {
  if (!pending?.setUp || !pending.verified.includes("hwk")) return null;
  const keys = await listWebauthnCredentials(store, pending.userId);
  return keys.find(({ isPasskey }) => !isPasskey) ?? null;
}

/**
 * Renames the security key that was set up in this sign-in; an empty `name` keeps its default name. The mfa_token stays
 * valid. "unauthorized" if no key was set up in this sign-in.
 */
export async function nameFirstKey(
  context: Pick<PendingDeps, "store" | "clock">,
  { name, ...input }: { mfaToken: string; browser: string; name: string },
): Promise<{ kind: "done" } | Unauthorized> {
  const key = await findFirstKey(context, await findPending(context, input));
  if (!key) return { kind: "unauthorized" };
  const { id, userId } = key;
  if (name !== "") await renameWebauthnCredential(context.store, { id, userId, name });
  return { kind: "done" };
}
