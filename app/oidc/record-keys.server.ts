import type { AdapterPayload } from "oidc-provider";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";

/** Models whose id is a secret: token, code, or session cookie. */
const SECRET_IDS = ["AccessToken", "AuthorizationCode", "RefreshToken", "Session"];

/** Prefix of the `jti` of a session found by uid. Clients cannot use it: the ids they send are hashed. */
const KEY_PREFIX = "key:";

/** Maps ids and payloads of one model to the database and back. */
type RecordKeys = {
  /** Returns the database key of an id that a client sent. */
  keyOfPresented(id: string): string;
  /** Returns the database key of a loaded record's id. */
  keyOf(id: string): string;
  /** Returns the payload to store, without secrets. */
  toStored(payload: AdapterPayload): AdapterPayload;
  /** Returns the payload for oidc-provider; `id` is null if the record was not found by its id. */
  toEngine(payload: AdapterPayload, row: { id: string | null; key: string }): AdapterPayload;
};

/**
 * Creates the mapping of a model. Codes, tokens and session cookies are stored as hashes, so that a copy of the
 * database contains none of them. The id is added to the payload again when a client sends it.
 */
export function createRecordKeys(model: string): RecordKeys {
  if (model === "Interaction") return { ...plainIds, toStored: withoutCookie };
  return SECRET_IDS.includes(model) ? hashedIds : plainIds;
}

const plainIds: RecordKeys = {
  keyOfPresented: (id) => id,
  keyOf: (id) => id,
  toStored: (payload) => payload,
  toEngine: (payload) => payload,
};

const hashedIds: RecordKeys = {
  keyOfPresented: hashToken,
  keyOf: (id) => (id.startsWith(KEY_PREFIX) ? id.slice(KEY_PREFIX.length) : hashToken(id)),
  toStored: ({ jti: _, ...payload }) => payload,
  toEngine: (payload, { id, key }) => ({ ...payload, jti: id ?? `${KEY_PREFIX}${key}` }),
};

/** Removes the session cookie that oidc-provider stores with an interaction but never reads. */
function withoutCookie(payload: AdapterPayload): AdapterPayload {
  if (typeof payload.session !== "object" || !("cookie" in payload.session)) return payload;
  const { cookie: _, ...session } = payload.session;
  return { ...payload, session };
}
