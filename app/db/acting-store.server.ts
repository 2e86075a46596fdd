import type { Administrator, Store } from "./store.server.ts";

/**
 * Returns the store through which a user with a role acts for others: audit events recorded through it, or through its
 * transactions, name the user as their actor. Its queries are those of the given store.
 */
export function actingAs(store: Store, administrator: Administrator): Store {
  return { ...store, administrator, tx: (work) => store.tx((tx) => work({ ...tx, administrator })) };
}
