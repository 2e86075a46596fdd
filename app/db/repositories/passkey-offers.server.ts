import { and, eq } from "drizzle-orm";
import type { Store } from "#app/db/store.server.ts";

/** State of the offer to set up a passkey. `after`: time before which it is not shown; null if it was not declined. */
type PasskeyOffer = { after: Date | null; passkeys: number };

/** Returns the state of the offer in one statement; null if the user does not exist. */
export async function findPasskeyOffer({ q, t }: Store, userId: string): Promise<PasskeyOffer | null> {
  const { users, webauthnCredentials: keys } = t;
  const passkeys = q.$count(keys, and(eq(keys.userId, userId), eq(keys.isPasskey, true)));
  const [found] = await q.select({ after: users.passkeyOfferAfter, passkeys }).from(users).where(eq(users.id, userId));
  return found ?? null;
}

/** Stores the time before which the offer is not shown again. */
export async function declinePasskeyOffer({ q, t: { users } }: Store, userId: string, after: Date): Promise<void> {
  await q.update(users).set({ passkeyOfferAfter: after }).where(eq(users.id, userId));
}
