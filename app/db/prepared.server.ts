import type { Store } from "./store.server.ts";

/**
 * Builds a query once per store; for queries that every sign-in runs, since building takes four times as long as
 * running. Use placeholders for values, convert times and JSON with `encoded`, and run it with `.execute(values)`.
 */
export function prepared<Query>(build: (store: Store) => Query): (store: Store) => Query {
  // By the query builder, which the stores of `actingAs` share with the store that they were made from.
  const built = new WeakMap<Store["q"], Query>();
  return (store) => {
    const query = built.get(store.q) ?? build(store);
    built.set(store.q, query);
    return query;
  };
}

/**
 * Like `prepared`, for a query with a list: builds it once for each length, with a placeholder for each item. Only for
 * lists whose length the program determines, not the user.
 */
export function preparedByLength<Query>(
  build: (store: Store, length: number) => Query,
): (store: Store, length: number) => Query {
  const byLength = new Map<number, (store: Store) => Query>();
  return (store, length) => {
    const query = byLength.get(length) ?? prepared((ofStore) => build(ofStore, length));
    byLength.set(length, query);
    return query(store);
  };
}

/** Returns the value as the column stores it, for a placeholder. */
export function encoded<Value>(column: { mapToDriverValue(value: Value): unknown }, value: Value | null): unknown {
  return value === null ? null : column.mapToDriverValue(value);
}
