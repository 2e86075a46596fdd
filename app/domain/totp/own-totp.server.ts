import type { Config } from "#app/config/config.ts";
import { findTotpCredential, removeTotpCredential } from "#app/db/repositories/totp-credentials.server.ts";
import { type Done, isFresh, type NotAllowed, type SettingsAccess } from "#app/domain/access/access.ts";
import { findSettingsUser } from "#app/domain/access/grant.server.ts";
import { recordSettings } from "#app/domain/access/record.server.ts";
import { type ChangeDeps, changeAccount } from "#app/domain/account/change-account.server.ts";
import { limitOwnFactor, removeDependents, slotOf } from "#app/domain/account/own-factor.server.ts";
import { readCode } from "#app/domain/factor/code.ts";
import { findThrottle, refuseAttempt, type Throttled } from "#app/domain/pending-sign-in/attempts.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import {
  checkFirstCode,
  findTotp,
  type SetUpSlot,
  type ShownSecret,
  showSecret,
  startTotp,
  storeTotp,
} from "./set-up.server.ts";

/** Dependencies of the authenticator app in the settings. */
type TotpDeps = ChangeDeps & { config: Pick<Config, "productName"> };

/** Result of `startOwnTotp`. */
type StartTotpResult = ({ kind: "started" } & ShownSecret) | NotAllowed | { kind: "totp already registered" };

/**
 * Starts the set-up of an authenticator app with a new secret. A user has at most one app. `finishOwnTotp` must follow
 * within ten minutes in the same settings.
 */
export async function startOwnTotp(context: TotpDeps, access: SettingsAccess): Promise<StartTotpResult> {
  if (!isFresh(access, context.clock.now())) return { kind: "reauthentication_required" };
  const user = await findSettingsUser(context.store, access);
  if (!user) return { kind: "unauthorized" };
  if (await findTotpCredential(context.store, user.id)) return { kind: "totp already registered" };
  const { secretBase32 } = await startTotp(context, setUpSlot(access));
  return { kind: "started", ...showSecret(context.config, user, secretBase32) };
}

/** Returns the secret of a started set-up; null if none was started here or it is expired. */
export async function findOwnTotp(context: TotpDeps, access: SettingsAccess): Promise<ShownSecret | null> {
  const user = await findSettingsUser(context.store, access);
  const setUp = user && (await findTotp(context, setUpSlot(access)));
  return setUp && showSecret(context.config, user, setUp.secretBase32);
}

/** Returns when the user's authenticator app was set up and last used; null if there is none. */
export async function findOwnTotpUse(
  { store }: Pick<TotpDeps, "store">,
  { userId }: SettingsAccess,
): Promise<{ addedAt: Date; lastUsedAt: Date | null } | null> {
  const credential = await findTotpCredential(store, userId);
  return credential && { addedAt: credential.createdAt, lastUsedAt: credential.lastUsedAt };
}

/** `clockOffSeconds` as in `RefusedCode`. */
export type RefusedTotp = {
  kind: "invalid verification code";
  reason: "malformed" | "wrong" | "used";
  clockOffSeconds: number | null;
};

/** Result of `finishOwnTotp`. */
type FinishTotpResult =
  | Done
  | NotAllowed
  | RefusedTotp
  | { kind: "totp already registered" }
  /** No set-up was started here, or it is expired. */
  | { kind: "totp not found" }
  | Throttled;

/**
 * Finishes the set-up with the app's first code, which is consumed and added to the `amr` of this session. Attempts
 * count as at sign-in; a malformed code is not counted.
 */
export async function finishOwnTotp(
  context: TotpDeps,
  access: SettingsAccess,
  input: RequestMetadata & { code: string },
): Promise<FinishTotpResult> {
  const { store, clock } = context;
  const { userId } = access;
  if (!isFresh(access, clock.now())) return { kind: "reauthentication_required" };
  if (!(await findSettingsUser(store, access))) return { kind: "unauthorized" };
  // Read before the credential: a concurrent set-up that finishes in between removes this one.
  const setUp = await findTotp(context, setUpSlot(access));
  if (await findTotpCredential(store, userId)) return { kind: "totp already registered" };
  const parsed = readCode(input.code);
  if (parsed.kind !== "totp") return refused("malformed");
  if (!setUp) return { kind: "totp not found" };
  return limitOwnFactor(context, access, { metadata: input, factor: "totp" }, async () => {
    const checked = await checkFirstCode(context, setUp, parsed.code);
    if (checked.kind === "refused") {
      return refuseAttempt(context, userId, async (tx) => {
        const refusal = { type: "factor.refused", outcome: "refused", reason: "totp" } as const;
        await recordSettings({ ...context, store: tx }, access, input, refusal);
        return refused(checked.reason, checked.clockOffSeconds);
      });
    }
    return changeAccount<FinishTotpResult>(context, access, input, {
      apply: async (tx) => {
        if (await findTotpCredential(tx, userId)) return { kind: "totp already registered" };
        const deps = { ...context, store: tx };
        const throttled = await findThrottle(deps, userId);
        if (throttled) return throttled;
        return (await storeTotp(deps, setUp, checked.step)) ? { kind: "done" } : { kind: "totp not found" };
      },
      template: { name: "factor-added", factor: "totp" },
      event: "factor.added",
      reason: "totp",
      others: "end",
      proven: "otp",
    });
  });
}

/** Removes the authenticator app. With the last factor, the recovery codes are removed too. */
export async function removeOwnTotp(
  context: ChangeDeps,
  access: SettingsAccess,
  metadata: RequestMetadata,
): Promise<Done | NotAllowed | { kind: "totp not found" }> {
  return changeAccount<Done | { kind: "totp not found" }>(context, access, metadata, {
    apply: async (tx) => {
      if (!(await removeTotpCredential(tx, access.userId))) return { kind: "totp not found" };
      await removeDependents(tx, access.userId);
      return { kind: "done" };
    },
    template: { name: "factor-removed", factor: "totp" },
    event: "factor.removed",
    reason: "totp",
    others: "end",
  });
}

/** One set-up per page session or chain. */
function setUpSlot({ userId, generation, holder }: SettingsAccess): SetUpSlot {
  return { slot: slotOf(holder), userId, generation };
}

function refused(reason: RefusedTotp["reason"], clockOffSeconds: number | null = null): RefusedTotp {
  return { kind: "invalid verification code", reason, clockOffSeconds };
}
