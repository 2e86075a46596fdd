import type { Store } from "./store.server.ts";

/**
 * A query that is put together once per store, for those that a sign-in runs again and again: building one takes four
 * times as long as running it. Values are placeholders, and stand for themselves: encode times and JSON with the column
 * (`encoded`). Run it with `.execute(values)`.
 */
export function prepared<Query>(build: (store: Store) => Query): (store: Store) => Query {
  const built = new WeakMap<Store, Query>();
  return (store) => {
    const query = built.get(store) ?? build(store);
    built.set(store, query);
    return query;
  };
}

/** The value as this column stores it, for a placeholder. */
export function encoded<Value>(column: { mapToDriverValue(value: Value): unknown }, value: Value | null): unknown {
  return value === null ? null : column.mapToDriverValue(value);
}
