import { type Adapter, type AdapterPayload, errors, Provider } from "oidc-provider";
import type { Config } from "#app/config/config.ts";
import { findClient } from "#app/db/repositories/clients.server.ts";
import {
  consumeRecord,
  destroyRecord,
  findGrantRecord,
  findRecord,
  findRecordByUid,
  findSession,
  findTokens,
  type GrantRow,
  insertUnderLiveGrant,
  type RecordToSave,
  removeRecord,
  removeRecordsOfGrant,
  saveLiveSession,
  saveRecord,
  TOKENS,
  type TokenRows,
  updateRecord,
} from "#app/db/repositories/oidc-records.server.ts";
import type { JsonObject } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Clock } from "#app/ports.ts";
import { type ClientSecrets, clientMetadata } from "./client-metadata.server.ts";
import { keepParameters } from "./finished-interaction.server.ts";
import { createRecordKeys } from "./record-keys.server.ts";
import { FORMER_ID, GENERATION, PERSISTED } from "./record-properties.ts";
import { keepRow, takeRow } from "./request-rows.server.ts";
import { SETTINGS_CLIENT_ID, settingsClientMetadata } from "./settings-client.server.ts";

/** Dependencies of the adapters. */
type AdapterDeps = {
  store: Store;
  clock: Clock;
  config: Pick<Config, "issuer" | "productName">;
  secrets: ClientSecrets;
};

type EngineRow = { id: string; payload: Record<string, unknown>; consumedAt: Date | null; expiresAt: Date | null };

/**
 * Creates the adapter of one oidc-provider model. Clients are read from their own table (the settings client is built
 * in); all other models share oidc_records. Ids of codes, tokens and sessions are stored as hashes (record-keys).
 * An interaction is stored when the user answers it; finished ones keep their parameters for a day.
 */
export function createAdapter(deps: AdapterDeps, model: string): Adapter {
  return model === "Client" ? clientAdapter(deps) : recordAdapter(deps, model);
}

function clientAdapter({ store, config, secrets }: AdapterDeps): Adapter {
  const rejectCall = () => Promise.reject(new Error("clients can only be registered with the command line"));
  return {
    find: async (id) => {
      if (id === SETTINGS_CLIENT_ID) return settingsClientMetadata(config);
      const client = takeRow("Client", id) ?? (await findClient(store, id));
      return client ? clientMetadata(client, secrets) : undefined;
    },
    upsert: rejectCall,
    destroy: rejectCall,
    consume: rejectCall,
    findByUid: rejectCall,
    findByUserCode: rejectCall,
    revokeByGrantId: rejectCall,
  };
}

/** Thrown when a session that ended during the request is saved; handled in `patches/ended-session.server.ts`. */
export class SessionEndedError extends Error {}

function recordAdapter({ store, clock }: AdapterDeps, model: string): Adapter {
  const isInteraction = model === "Interaction";
  const { keyOfPresented: keyShown, keyOf, toStored: stored, toEngine: shown } = createRecordKeys(model);

  async function upsert(id: string, payload: AdapterPayload, expiresInSeconds?: number): Promise<void> {
    // The challenge contains an interaction without a result (interaction-url.server.ts).
    if (isInteraction && payload.result === undefined) return;
    const { [PERSISTED]: persisted, [FORMER_ID]: formerId, ...own } = payload;
    const record = {
      model,
      id: keyOf(id),
      payload: stored(own),
      grantId: payload.grantId ?? null,
      accountId: payload.accountId ?? null,
      clientId: payload.clientId ?? null,
      userCode: payload.userCode ?? null,
      uid: payload.uid ?? null,
      // A lifetime of 0 seconds expires at once.
      expiresAt: expiresInSeconds === undefined ? null : new Date(clock.now().getTime() + expiresInSeconds * 1000),
    };
    const former = typeof formerId === "string" ? keyOf(formerId) : null;
    if (await save(store, record, { payload, persisted, former })) return;
    if (isIssuedFromCode(model)) return;
    throw errorFor(model);
  }

  async function destroy(id: string): Promise<void> {
    if (!isInteraction) {
      const isSavedAgain = model === "Session" || model === "Grant";
      return isSavedAgain ? destroyRecord(store, model, keyOf(id)) : removeRecord(store, model, keyOf(id));
    }
    if (!(await keepParameters({ store, clock }, id))) throw errorFor(model);
  }

  // A single conditional statement: of several concurrent exchanges of one code, one succeeds (RFC 6749 §4.1.2).
  async function consume(id: string): Promise<void> {
    if (await consumeRecord(store, model, keyOf(id), clock.now())) return;
    throw new errors.InvalidGrant(`${model} already consumed`);
  }

  function engineView(row: EngineRow | null, id: string | null): AdapterPayload | undefined {
    if (!row || (isInteraction && row.consumedAt)) return undefined;
    const payload = { ...shown(row.payload, { id, key: row.id }), ...persistedMark(model, row.payload) };
    return row.consumedAt ? { ...payload, consumed: Math.floor(row.consumedAt.getTime() / 1000) } : payload;
  }

  return {
    upsert,
    destroy,
    consume,
    find: async (id) => engineView(await findLive(store, model, keyShown(id)), id),
    findByUid: async (uid) => engineView(await findRecordByUid(store, model, uid), null),
    findByUserCode: async () => undefined,
    revokeByGrantId: async (grantId) => {
      await removeRecordsOfGrant(store, model, grantId);
    },
  };
}

type Saving = { payload: AdapterPayload; persisted: unknown; former: string | null };

/**
 * Saves a record. Returns false if the record, its grant or its session was destroyed. Sessions and grants that were
 * read before are only updated while live; codes and tokens are only inserted under a live grant.
 */
async function save(store: Store, record: RecordToSave, { payload, persisted, former }: Saving): Promise<boolean> {
  const { uid, grantId } = record;
  if (GRANT_MODELS.has(record.model) && grantId) {
    const endsWithSession = record.model === "AuthorizationCode" || payload.expiresWithSession === true;
    return insertUnderLiveGrant(store, { ...record, grantId }, endsWithSession ? (payload.sessionUid ?? null) : null);
  }
  if (persisted === undefined) return saveRecord(store, record);
  if (record.model === "Session" && uid) {
    return saveLiveSession(store, { record: { ...record, uid }, read: String(persisted), formerId: former });
  }
  return updateRecord(store, record);
}

/** Models that are inserted once, under a grant. */
const GRANT_MODELS: ReadonlySet<string> = new Set(TOKENS);

/**
 * Returns true for a token of an exchange that consumed its code. If the grant was revoked meanwhile, the response
 * contains tokens that are not stored and thus invalid. The code itself is refused when it is stored.
 */
function isIssuedFromCode(model: string): boolean {
  const isToken = model === "AccessToken" || model === "RefreshToken";
  return isToken && Provider.ctx?.oidc.entities.AuthorizationCode !== undefined;
}

/** Returns the error that the caller of the model's `save` or `destroy` handles. */
function errorFor(model: string): Error {
  switch (model) {
    case "Session":
      return new SessionEndedError();
    case "Interaction":
      return new errors.SessionNotFound("the interaction was finished by another request");
    case "Grant":
    case "AuthorizationCode":
      return new errors.LoginRequired("the session or the grant has ended");
    default:
      return new errors.InvalidGrant("the grant was revoked");
  }
}

/** Marks a record as read from the database, for `upsert`: a session by what was read, to detect other changes. */
function persistedMark(model: string, payload: JsonObject): Record<string, unknown> {
  if (model === "Session") return { [PERSISTED]: JSON.stringify(payload) };
  return model === "Grant" ? { [PERSISTED]: true } : {};
}

/** Finds a record; a grant only if its generation is the user's current one, or missing (older versions). */
async function findLive(store: Store, model: string, id: string): Promise<EngineRow | null> {
  if (GRANT_MODELS.has(model)) return findToken(store, model, id);
  if (model === "Grant") return currentGrant(takeRow("Grant", id) ?? (await findGrantRecord(store, id)));
  if (model === "Session") return findSessionAndUser(store, id);
  const record = await findRecord(store, model, id);
  if (record && model === "Interaction") keepRow("Interaction", id, record);
  return record;
}

/** Finds a session, and keeps its user, whom oidc-provider loads next. */
async function findSessionAndUser(store: Store, id: string): Promise<EngineRow | null> {
  const found = await findSession(store, id);
  if (found?.user) keepRow("User", found.user.id, found.user);
  return found?.session ?? null;
}

function currentGrant(grant: GrantRow | null): GrantRow | null {
  const grantGeneration: unknown = grant?.payload[GENERATION];
  return grantGeneration === undefined || grantGeneration === grant?.generation ? grant : null;
}

/**
 * Finds a code or token whose user may still use the client, and keeps its grant, client and user, which oidc-provider
 * loads next.
 */
async function findToken(store: Store, model: string, id: string): Promise<EngineRow | null> {
  const found = (await findTokensOfAnyModel(store, model, id)).find(({ token }) => token.model === model);
  if (!found || found.isAccessLost) return null;
  const { token, grant, client, user, isMfaRequiredOfUser } = found;
  if (grant && grant.accountId === token.accountId) {
    keepRow("Grant", grant.id, { ...grant, generation: user?.generation ?? null });
  }
  if (client) keepRow("Client", client.id, client);
  if (user) keepRow("User", user.id, { ...user, isMfaRequiredOfUser });
  return token;
}

/** Introspection and revocation look for a token as one model and then, or at the same time, as another. */
function findTokensOfAnyModel(store: Store, model: string, id: string): Promise<TokenRows[]> {
  const kept = takeRow("Tokens", `${model}:${id}`);
  if (kept) return kept;
  const tokens = findTokens(store, id);
  for (const other of TOKENS) if (other !== model) keepRow("Tokens", `${other}:${id}`, tokens);
  return tokens;
}
