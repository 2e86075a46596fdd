import { recordEvent } from "#app/domain/audit/record.server.ts";
import type { RegistrationHint } from "#app/domain/client/hints.ts";
import { advanceRegistration, BEGUN, findRegistrationOfClient, type RegistrationDeps } from "./registration.server.ts";

/** The client's call. `clientId` is the authenticated client. */
type RedeemInput = { registrationToken: string; clientId: string; address: string; requestId: string };

/** Result of `redeemRegistration`. */
type Redemption =
  /** `verified`: keys of the hints that an external provider has verified. */
  | { kind: "redeemed"; registrationId: string; hints: RegistrationHint[]; verified: string[] }
  /** The token is refused by `findRegistrationOfClient`, or another call redeemed it. */
  | { kind: "not found" };

/** Redeems a registration token and returns the hints to the client. Of several simultaneous calls, one succeeds. */
export async function redeemRegistration(context: RegistrationDeps, input: RedeemInput): Promise<Redemption> {
  const { registrationToken, ...metadata } = input;
  const { clientId } = metadata;
  const registration = await findRegistrationOfClient(context, { token: registrationToken, stage: BEGUN, clientId });
  const { uid, hints = [], verified = [], identity = null, language = null } = registration?.payload ?? {};
  const registrationId =
    registration && uid
      ? await advanceRegistration(context, registration, { stage: "redeemed", uid, identity, language })
      : null;
  if (registrationId === null) {
    await recordEvent(context, { type: "registration.refused", outcome: "refused", reason: "redeem", ...metadata });
    return { kind: "not found" };
  }
  await recordEvent(context, { type: "registration.redeemed", outcome: "ok", ...metadata });
  return { kind: "redeemed", registrationId, hints, verified };
}
