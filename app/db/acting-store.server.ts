import type { Administrator, Store } from "./store.server.ts";

/**
 * Returns the store through which a user with a role acts for others: audit events recorded through it, or through its
 * transactions, name the user as their actor. `check` runs at the start of each transaction, and ends it by throwing.
 */
export function actingAs(
  store: Store,
  { userId, username }: Administrator,
  check: (tx: Store) => Promise<void> = async () => {},
): Store {
  const administrator = { userId, username };
  return {
    ...store,
    administrator,
    tx: (work) =>
      store.tx(async (tx) => {
        await check(tx);
        return work({ ...tx, administrator });
      }),
  };
}
