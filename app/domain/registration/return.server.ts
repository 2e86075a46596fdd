import { findOneTimeTokenOfSlot } from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Clock } from "#app/ports.ts";
import { COMPLETED, findRegistration } from "./registration.server.ts";

/** Result of `findReturn`. `uid` is the uid of the waiting interaction. */
type RegistrationReturn =
  | { kind: "back"; uid: string; username: string }
  | { kind: "expired"; clientId: string | null }
  /** The account exists, but the registration began in another browser. */
  | { kind: "other browser" }
  /** The token is unknown, or its user cannot sign in. */
  | { kind: "unknown" };

/** Returns true if a registration of this interaction and this browser is completed. */
export async function isRegistered(
  { store, clock }: { store: Store; clock: Clock },
  { uid, browser }: { uid: string; browser: string },
): Promise<boolean> {
  const row = await findOneTimeTokenOfSlot(store, { kind: "registration", slot: uid, now: clock.now() });
  return row?.browserHash === hashToken(browser) && COMPLETED.safeParse(row.payload).success;
}

/** Resolves the token of the registration callback in this browser. Consumes nothing: the URL can be opened again. */
export async function findReturn(
  { store, clock }: { store: Store; clock: Clock },
  { token, browser }: { token: string; browser: string },
): Promise<RegistrationReturn> {
  const registration = await findRegistration({ store, clock }, { token, stage: COMPLETED });
  if (!registration) return { kind: "unknown" };
  if (registration.row.browserHash !== hashToken(browser)) return { kind: "other browser" };
  if (registration.isExpired) return { kind: "expired", clientId: registration.row.clientId };
  // The generation is not compared: the user may have set a password by the mailed link already.
  const user = await findUser(store, registration.payload.userId);
  if (user?.status !== "active") return { kind: "unknown" };
  return { kind: "back", uid: registration.payload.uid, username: user.username };
}
