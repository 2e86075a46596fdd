import type { Config } from "#app/config/config.ts";
import { declinePasskeyOffer, findPasskeyOffer } from "#app/db/repositories/passkey-offers.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Subject } from "#app/domain/engine-session/subject.server.ts";
import { DAY_MS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";
import { OFFER_PAUSE_DAYS } from "./passkey-options.ts";
import { findRelyingParty } from "./relying-party.server.ts";

type OfferDeps = { store: Store; clock: Clock; config: Pick<Config, "issuer" | "passkeys"> };

/**
 * Returns true if a passkey is offered to the user of a sign-in: with the password, by a user who has no passkey and did
 * not decline the offer in the last 90 days. The caller checks that the browser reported a device for it.
 */
export async function isPasskeyOffered(
  { store, clock, config }: OfferDeps,
  { userId, amr }: Pick<Subject, "userId" | "amr">,
): Promise<boolean> {
  if (!config.passkeys || !amr.includes("pwd") || !findRelyingParty(config.issuer)) return false;
  const offer = await findPasskeyOffer(store, userId);
  return offer !== null && offer.passkeys === 0 && (offer.after === null || offer.after <= clock.now());
}

/** Stores that the user declined the offer, in this and in other browsers, for 90 days. */
export async function declineOffer(
  { store, clock }: Pick<OfferDeps, "store" | "clock">,
  userId: string,
): Promise<void> {
  await declinePasskeyOffer(store, userId, new Date(clock.now().getTime() + OFFER_PAUSE_DAYS * DAY_MS));
}
