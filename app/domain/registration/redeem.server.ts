import { recordEvent } from "#app/domain/audit/record.server.ts";
import type { RegistrationHint } from "./hints.ts";
import { advanceRegistration, BEGUN, findRegistration, type RegistrationDeps } from "./registration.server.ts";

/** An application's call. `clientId`: as which it has proved itself. */
export type RedeemInput = { registrationToken: string; clientId: string; address: string; requestId: string };

export type Redemption =
  /** `verified`: keys of the hints that an external provider vouches for. */
  | { kind: "redeemed"; registrationId: string; hints: RegistrationHint[]; verified: string[] }
  /** Never made, used, replaced, too old, or another application's. */
  | { kind: "not found" };

/** Gives the application what was hinted of the person, once: of many calls at the same moment one succeeds. */
export async function redeemRegistration(context: RegistrationDeps, input: RedeemInput): Promise<Redemption> {
  const { registrationToken, ...facts } = input;
  const found = await findRegistration(context, { token: registrationToken, stage: BEGUN });
  const isTheirs = found?.row.clientId === facts.clientId && !found.isOver;
  const { uid, hints = [], verified = [], identity = null } = found?.payload ?? {};
  const registrationId =
    found && uid && isTheirs ? await advanceRegistration(context, found, { stage: "redeemed", uid, identity }) : null;
  if (registrationId === null) {
    await recordEvent(context, { type: "registration.refused", outcome: "refused", reason: "redeem", ...facts });
    return { kind: "not found" };
  }
  await recordEvent(context, { type: "registration.redeemed", outcome: "ok", ...facts });
  return { kind: "redeemed", registrationId, hints, verified };
}
