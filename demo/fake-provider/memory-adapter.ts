import type { Adapter, AdapterPayload } from "oidc-provider";

type Stored = { payload: AdapterPayload; expiresAt: number };

/** Creates an oidc-provider adapter that stores sessions and codes in memory, one map per model. */
export function createMemoryAdapter(): (model: string) => Adapter {
  const stores = new Map<string, Map<string, Stored>>();
  return (model) => {
    const store = stores.get(model) ?? new Map<string, Stored>();
    stores.set(model, store);
    return adapterFor(store);
  };
}

function adapterFor(store: Map<string, Stored>): Adapter {
  const live = (found: Stored | undefined) => (found && found.expiresAt > Date.now() ? found.payload : undefined);
  return {
    upsert: async (id, payload, expiresIn = 0) => {
      store.set(id, { payload, expiresAt: Date.now() + expiresIn * 1000 });
    },
    find: async (id) => live(store.get(id)),
    findByUid: async (uid) => live([...store.values()].find(({ payload }) => payload.uid === uid)),
    findByUserCode: async () => undefined,
    destroy: async (id) => {
      store.delete(id);
    },
    consume: async (id) => {
      const found = store.get(id);
      if (found) found.payload.consumed = Math.floor(Date.now() / 1000);
    },
    revokeByGrantId: async (grantId) => {
      for (const [id, { payload }] of store) if (payload.grantId === grantId) store.delete(id);
    },
  };
}
