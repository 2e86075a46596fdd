import { findOneTimeTokenOfSlot } from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Clock } from "#app/ports.ts";
import { COMPLETED, findRegistration } from "./registration.server.ts";

/** A person who comes back from a registration. `uid`: of the request that waits for them. */
export type Return =
  | { kind: "back"; uid: string; username: string }
  | { kind: "expired"; clientId: string | null }
  /** Another browser's, or no registration at all. */
  | { kind: "unknown" };

/** Whether the account of a registration that this browser began for this request exists already. */
export async function isRegistered(
  { store, clock }: { store: Store; clock: Clock },
  { uid, browser }: { uid: string; browser: string },
): Promise<boolean> {
  const row = await findOneTimeTokenOfSlot(store, { kind: "registration", slot: uid, now: clock.now() });
  return row?.browserHash === hashToken(browser) && COMPLETED.safeParse(row.payload).success;
}

/**
 * Finds out what the address that an application sends its new person to stands for in this browser. It uses nothing up
 * and signs nobody in: it leads to the sign-in form, and may be opened again.
 */
export async function findReturn(
  { store, clock }: { store: Store; clock: Clock },
  { token, browser }: { token: string; browser: string },
): Promise<Return> {
  const found = await findRegistration({ store, clock }, { token, stage: COMPLETED });
  if (!found || found.row.browserHash !== hashToken(browser)) return { kind: "unknown" };
  if (found.isOver) return { kind: "expired", clientId: found.row.clientId };
  // Not held to a generation: the person may have chosen a password with the mailed link meanwhile.
  const user = await findUser(store, found.payload.userId);
  if (user?.status !== "active") return { kind: "unknown" };
  return { kind: "back", uid: found.payload.uid, username: user.username };
}
