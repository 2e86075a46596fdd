import type { Config } from "#app/config/config.ts";
import {
  listWebauthnCredentials,
  removeWebauthnCredential,
  renameWebauthnCredential,
} from "#app/db/repositories/webauthn-credentials.server.ts";
import type { Store } from "#app/db/store.server.ts";
import {
  type Done,
  isFresh,
  type NotAllowed,
  type SettingsAccess,
  type Unauthorized,
} from "#app/domain/access/access.ts";
import { findSettingsUser } from "#app/domain/access/grant.server.ts";
import { recordSettings } from "#app/domain/access/record.server.ts";
import { type ChangeDeps, changeAccount } from "#app/domain/account/change-account.server.ts";
import { limitOwnFactor, removeDependents, slotOf } from "#app/domain/account/own-factor.server.ts";
import { findThrottle, refuseAttempt, type Throttled } from "#app/domain/pending-sign-in/attempts.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import type { CeremonyOwner } from "./ceremony.server.ts";
import type { StartedRegistration } from "./options.ts";
import type { KeyRegistrationResponse } from "./registration.server.ts";

/** Dependencies of the security keys in the settings. */
type KeysDeps = ChangeDeps & { config: Pick<Config, "issuer"> };

/** A security key in the settings. `flagged`: the key may have been copied. */
export type OwnKey = { id: string; name: string; addedAt: Date; lastUsedAt: Date | null; flagged: boolean };

/** Loaded on demand: the library takes as long to load as oidc-provider. */
const registrations = () => import("./registration.server.ts");

/** Lists the user's security keys, oldest first. */
export async function listOwnKeys({ store }: { store: Store }, { userId }: SettingsAccess): Promise<OwnKey[]> {
  const keys = await listWebauthnCredentials(store, userId);
  return keys.map(({ id, name, createdAt, lastUsedAt, flaggedAt }) => {
    return { id, name, addedAt: createdAt, lastUsedAt, flagged: flaggedAt !== null };
  });
}

/** Result of `startOwnKey`. */
type StartKeyResult =
  | ({ kind: "started" } & StartedRegistration)
  | NotAllowed
  /** The issuer's host is an IP address, where browsers do not support security keys. */
  | { kind: "unavailable" };

/** Starts the registration of a security key. Replaces an earlier registration in the same settings. */
export async function startOwnKey(context: KeysDeps, access: SettingsAccess): Promise<StartKeyResult> {
  if (!isFresh(access, context.clock.now())) return { kind: "reauthentication_required" };
  if (!(await findSettingsUser(context.store, access))) return { kind: "unauthorized" };
  const { startRegistration } = await registrations();
  const started = await startRegistration(context, ceremonyOwner(access));
  return started ? { kind: "started", ...started } : { kind: "unavailable" };
}

/** Result of `finishOwnKey`. */
export type FinishKeyResult =
  | Done
  | NotAllowed
  /** `taken`: the key is already registered, by this or another user. */
  | { kind: "security key refused"; reason: "verification" | "taken" }
  | Throttled;

/**
 * Registers a security key and adds it to the `amr` of this session. `name` is the user's name for the key. Every
 * response consumes the ceremony; a refused one counts as an attempt, as at sign-in.
 */
export async function finishOwnKey(
  context: KeysDeps,
  access: SettingsAccess,
  { sessionId, credentialJson, name, firstNames, ...metadata }: RequestMetadata & KeyRegistrationResponse,
): Promise<FinishKeyResult> {
  const { userId } = access;
  const { clock } = context;
  if (!isFresh(access, clock.now())) return { kind: "reauthentication_required" };
  if (!(await findSettingsUser(context.store, access))) return { kind: "unauthorized" };
  return limitOwnFactor<FinishKeyResult>(context, access, { metadata, factor: "security key" }, async () => {
    const { addKey, checkRegistration } = await registrations();
    const key = await checkRegistration(context, { owner: ceremonyOwner(access), sessionId, credentialJson });
    const outcome: FinishKeyResult = key
      ? await changeAccount<FinishKeyResult>(context, access, metadata, {
          apply: async (store) => {
            const throttled = await findThrottle({ store, clock }, userId);
            if (throttled) return throttled;
            const isAdded = await addKey({ store, clock }, { userId, key, name, firstNames });
            return isAdded ? { kind: "done" } : refused("taken");
          },
          template: { name: "factor-added", factor: "security key" },
          event: "factor.added",
          reason: REFUSED.reason,
          others: "end",
          proven: "hwk",
        })
      : refused("verification");
    if (outcome.kind !== "security key refused") return outcome;
    return refuseAttempt(context, userId, async (store) => {
      await recordSettings({ ...context, store }, access, metadata, { ...REFUSED, type: "factor.refused" });
      return outcome;
    });
  });
}

const REFUSED = { outcome: "refused", reason: "security key" } as const;

/** The user has no security key with this id. */
type KeyNotFound = { kind: "security key not found" };

/** Renames a security key. `name` has 1 to 64 characters. */
export async function renameOwnKey(
  { store }: { store: Store },
  access: SettingsAccess,
  { id, name }: { id: string; name: string },
): Promise<Done | Unauthorized | KeyNotFound> {
  const user = await findSettingsUser(store, access);
  if (!user) return { kind: "unauthorized" };
  const renamed = await renameWebauthnCredential(store, { id, userId: user.id, name });
  return renamed ? { kind: "done" } : { kind: "security key not found" };
}

/** Removes a security key. With the last factor, the recovery codes are removed too. */
export async function removeOwnKey(
  context: ChangeDeps,
  access: SettingsAccess,
  { id, ...metadata }: RequestMetadata & { id: string },
): Promise<Done | NotAllowed | KeyNotFound> {
  const { userId } = access;
  return changeAccount<Done | KeyNotFound>(context, access, metadata, {
    apply: async (tx) => {
      if (!(await removeWebauthnCredential(tx, { id, userId }))) return { kind: "security key not found" };
      await removeDependents(tx, userId);
      return { kind: "done" };
    },
    template: { name: "factor-removed", factor: "security key" },
    event: "factor.removed",
    reason: REFUSED.reason,
    others: "end",
  });
}

/** Binds the ceremony to these settings: to the page session or, for a client's API calls, the chain. */
function ceremonyOwner({ userId, generation, holder }: SettingsAccess): CeremonyOwner {
  const slot = slotOf(holder);
  return { userId, generation, browser: slot, slot: slot };
}

function refused(reason: "verification" | "taken"): Extract<FinishKeyResult, { kind: "security key refused" }> {
  return { kind: "security key refused", reason };
}
