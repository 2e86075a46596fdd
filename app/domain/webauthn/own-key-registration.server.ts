import type { Config } from "#app/config/config.ts";
import { type Done, isFresh, type NotAllowed, type SettingsAccess } from "#app/domain/access/access.ts";
import { findSettingsUser } from "#app/domain/access/grant.server.ts";
import { recordSettings } from "#app/domain/access/record.server.ts";
import { type ChangeAccess, type ChangeDeps, changeAccount } from "#app/domain/account/change-account.server.ts";
import { limitOwnFactor, slotOf } from "#app/domain/account/own-factor.server.ts";
import { findThrottle, refuseAttempt, type Throttled } from "#app/domain/pending-sign-in/attempts.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import type { CeremonyOwner } from "./ceremony.server.ts";
import type { StartedRegistration } from "./options.ts";
import type { KeyKind, KeyRegistrationResponse } from "./registration.server.ts";

/** Dependencies of the security keys and passkeys in the settings. */
type KeysDeps = ChangeDeps & { config: Pick<Config, "issuer"> };

/** Dependencies of the registration of a passkey. */
export type PasskeyDeps = ChangeDeps & { config: Pick<Config, "issuer" | "passkeys"> };

/** Loaded on demand: the library takes as long to load as oidc-provider. */
const registrations = () => import("./registration.server.ts");

/** Result of `startOwnKey` and `startOwnPasskey`. */
export type StartKeyResult =
  | ({ kind: "started" } & StartedRegistration)
  | NotAllowed
  /** The issuer's host is an IP address, where browsers do not support security keys; or PASSKEYS is off. */
  | { kind: "unavailable" };

/** Starts the registration of a security key. Replaces an earlier registration in the same settings. */
export async function startOwnKey(context: KeysDeps, access: SettingsAccess): Promise<StartKeyResult> {
  return startKey(context, { access, owner: ceremonyOwner(access) });
}

/** Starts the registration of a passkey. Replaces an earlier registration in the same settings. */
export async function startOwnPasskey(context: PasskeyDeps, access: SettingsAccess): Promise<StartKeyResult> {
  return startPasskey(context, { access, owner: ceremonyOwner(access) });
}

/** The access that allows the registration, and the owner of its ceremony. */
export type KeyRegistration = { access: ChangeAccess; owner: CeremonyOwner };

/** Starts the registration of a passkey, for the settings and for the offer after a sign-in. */
export async function startPasskey(context: PasskeyDeps, registration: KeyRegistration): Promise<StartKeyResult> {
  return context.config.passkeys ? startKey(context, registration) : { kind: "unavailable" };
}

async function startKey(context: KeysDeps, { access, owner }: KeyRegistration): Promise<StartKeyResult> {
  if (!isFresh(access, context.clock.now())) return { kind: "reauthentication_required" };
  if (!(await findSettingsUser(context.store, access))) return { kind: "unauthorized" };
  const { startRegistration } = await registrations();
  const started = await startRegistration(context, owner);
  return started ? { kind: "started", ...started } : { kind: "unavailable" };
}

/** Result of `finishOwnKey` and `finishOwnPasskey`. */
export type FinishKeyResult =
  | Done
  | NotAllowed
  /** `taken`: the key is already registered, by this or another user. */
  | { kind: "security key refused"; reason: "verification" | "taken" }
  | Throttled;

/** The response of the browser to a registration. */
export type KeyResponse = RequestMetadata & KeyRegistrationResponse;

/**
 * Registers a security key and adds it to the `amr` of this session. `name` is the user's name for the key. Every
 * response consumes the ceremony; a refused one counts as an attempt, as at sign-in.
 */
export async function finishOwnKey(
  context: KeysDeps,
  access: SettingsAccess,
  response: KeyResponse,
): Promise<FinishKeyResult> {
  return finishKey(context, { access, owner: ceremonyOwner(access), kind: "security key" }, response);
}

/** Registers a passkey, like `finishOwnKey`: its device or program verified the user. */
export async function finishOwnPasskey(
  context: PasskeyDeps,
  access: SettingsAccess,
  response: KeyResponse,
): Promise<FinishKeyResult | { kind: "unavailable" }> {
  return finishPasskey(context, { access, owner: ceremonyOwner(access) }, response);
}

/** Registers a passkey, for the settings and for the offer after a sign-in. */
export async function finishPasskey(
  context: PasskeyDeps,
  registration: KeyRegistration,
  response: KeyResponse,
): Promise<FinishKeyResult | { kind: "unavailable" }> {
  if (!context.config.passkeys) return { kind: "unavailable" };
  return finishKey(context, { ...registration, kind: "passkey" }, response);
}

async function finishKey(
  context: KeysDeps,
  { access, owner, kind }: KeyRegistration & { kind: KeyKind },
  { sessionId, credentialJson, name, firstNames, ...metadata }: KeyResponse,
): Promise<FinishKeyResult> {
  const { userId } = access;
  const { clock } = context;
  if (!isFresh(access, clock.now())) return { kind: "reauthentication_required" };
  if (!(await findSettingsUser(context.store, access))) return { kind: "unauthorized" };
  return limitOwnFactor<FinishKeyResult>(context, access, { metadata, factor: kind }, async () => {
    const { addKey, checkRegistration } = await registrations();
    const key = await checkRegistration(context, { owner, sessionId, credentialJson, kind });
    const outcome: FinishKeyResult = key
      ? await changeAccount<FinishKeyResult>(context, access, metadata, {
          apply: async (store) => {
            const throttled = await findThrottle({ store, clock }, userId);
            if (throttled) return throttled;
            const isAdded = await addKey({ store, clock }, { userId, key, name, firstNames });
            return isAdded ? { kind: "done" } : refused("taken");
          },
          template: { name: "factor-added", factor: kind },
          event: "factor.added",
          reason: kind,
          others: "end",
          // RFC 8176: a passkey that can leave its device is not secured by hardware.
          proven: key.isPasskey && key.backupEligible ? "swk" : "hwk",
        })
      : refused("verification");
    if (outcome.kind !== "security key refused") return outcome;
    return refuseAttempt(context, userId, async (store) => {
      const event = { type: "factor.refused", outcome: "refused", reason: kind } as const;
      await recordSettings({ ...context, store }, access, metadata, event);
      return outcome;
    });
  });
}

/** Binds the ceremony to these settings: to the page session or, for a client's API calls, the chain. */
function ceremonyOwner({ userId, generation, holder }: SettingsAccess): CeremonyOwner {
  const slot = slotOf(holder);
  return { userId, generation, browser: slot, slot };
}

function refused(reason: "verification" | "taken"): Extract<FinishKeyResult, { kind: "security key refused" }> {
  return { kind: "security key refused", reason };
}
