import { type Adapter, type AdapterPayload, errors } from "oidc-provider";
import type { Config } from "#app/config.server.ts";
import type { Clock } from "#app/context.server.ts";
import { findClient } from "#app/db/repositories/clients.server.ts";
import {
  consumeRecord,
  findRecord,
  findRecordByUid,
  removeRecord,
  removeRecordsOfGrant,
  saveRecord,
} from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type ClientSecrets, clientMetadata } from "./client-metadata.server.ts";
import { keepParameters } from "./kept-interaction.server.ts";
import { SETTINGS_CLIENT_ID, settingsClientMetadata } from "./own-client.server.ts";
import { createRecordKeys } from "./record-keys.server.ts";

/** What the engine's storage is made of. */
export type AdapterParts = {
  store: Store;
  clock: Clock;
  config: Pick<Config, "issuer" | "productName">;
  secrets: ClientSecrets;
};

type EngineRow = { id: string; payload: Record<string, unknown>; consumedAt: Date | null; expiresAt: Date | null };

/**
 * Makes the storage of one engine model. Clients come from their own table, but for the product's own one; all other
 * models share oidc_records. Codes, tokens and session cookies are stored as hashes (record-keys). Interactions that are
 * finished or out of time keep their parameters for a day, so that a sign-in can start again.
 */
export function createAdapter(parts: AdapterParts, model: string): Adapter {
  return model === "Client" ? clientAdapter(parts) : recordAdapter(parts, model);
}

function clientAdapter({ store, config, secrets }: AdapterParts): Adapter {
  const refuse = () => Promise.reject(new Error("clients are registered by the administrators' command only"));
  return {
    find: async (id) => {
      if (id === SETTINGS_CLIENT_ID) return settingsClientMetadata(config);
      const client = await findClient(store, id);
      return client ? clientMetadata(client, secrets) : undefined;
    },
    upsert: refuse,
    destroy: refuse,
    consume: refuse,
    findByUid: refuse,
    findByUserCode: refuse,
    revokeByGrantId: refuse,
  };
}

function recordAdapter({ store, clock }: AdapterParts, model: string): Adapter {
  const isInteraction = model === "Interaction";
  const { keyShown, keyOf, stored, shown } = createRecordKeys(model);

  async function upsert(id: string, payload: AdapterPayload, expiresInSeconds: number): Promise<void> {
    await saveRecord(store, {
      model,
      id: keyOf(id),
      payload: stored(payload),
      grantId: payload.grantId ?? null,
      accountId: payload.accountId ?? null,
      clientId: payload.clientId ?? null,
      userCode: payload.userCode ?? null,
      uid: payload.uid ?? null,
      expiresAt: expiresInSeconds ? new Date(clock.now().getTime() + expiresInSeconds * 1000) : null,
    });
  }

  async function destroy(id: string): Promise<void> {
    if (!isInteraction) return removeRecord(store, model, keyOf(id));
    if (await keepParameters({ store, clock }, id)) return;
    throw new errors.SessionNotFound("the interaction was finished by another request");
  }

  // One conditional statement: of several exchanges of one code at the same moment, one wins (RFC 6749 section 4.1.2).
  async function consume(id: string): Promise<void> {
    if (await consumeRecord(store, model, keyOf(id), clock.now())) return;
    throw new errors.InvalidGrant(`${model} already consumed`);
  }

  function engineView(row: EngineRow | null, id: string | null): AdapterPayload | undefined {
    if (!row || (isInteraction && row.consumedAt)) return undefined;
    const payload = shown(row.payload, { id, key: row.id });
    return row.consumedAt ? { ...payload, consumed: Math.floor(row.consumedAt.getTime() / 1000) } : payload;
  }

  return {
    upsert,
    destroy,
    consume,
    find: async (id) => engineView(await findRecord(store, model, keyShown(id)), id),
    findByUid: async (uid) => engineView(await findRecordByUid(store, model, uid), null),
    findByUserCode: async () => undefined,
    revokeByGrantId: async (grantId) => {
      await removeRecordsOfGrant(store, model, grantId);
    },
  };
}
