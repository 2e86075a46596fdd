import type { AdapterPayload } from "oidc-provider";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";

/** Whoever knows the id of one of these has what it stands for: it is the token, the code, the session's cookie. */
const SECRET_IDS = ["AccessToken", "AuthorizationCode", "RefreshToken", "Session"];

/** Begins the id of a session that was found by its uid. No cookie and no token gets as far: they are always hashed. */
const KEY = "key:";

/** How the ids and payloads of one engine model stand in the database. */
export type RecordKeys = {
  /** The database's key for an id that somebody shows. */
  keyShown(id: string): string;
  /** The database's key for the id of a record that the engine has at hand. */
  keyOf(id: string): string;
  /** What is stored of a payload: nothing that could be shown to us again. */
  stored(payload: AdapterPayload): AdapterPayload;
  /** The payload as the engine knows it; `id` is null where the record was found by something else. */
  shown(payload: AdapterPayload, row: { id: string | null; key: string }): AdapterPayload;
};

/**
 * Keeps codes, tokens and the values of session cookies out of the database: a copy of it opens nothing. Their records
 * are found by hashes, and what a payload says of them is put back from the id that was shown.
 */
export function createRecordKeys(model: string): RecordKeys {
  if (model === "Interaction") return { ...plain, stored: withoutCookie };
  return SECRET_IDS.includes(model) ? hashed : plain;
}

const plain: RecordKeys = {
  keyShown: (id) => id,
  keyOf: (id) => id,
  stored: (payload) => payload,
  shown: (payload) => payload,
};

const hashed: RecordKeys = {
  keyShown: hashToken,
  keyOf: (id) => (id.startsWith(KEY) ? id.slice(KEY.length) : hashToken(id)),
  stored: ({ jti: _, ...payload }) => payload,
  shown: (payload, { id, key }) => ({ ...payload, jti: id ?? `${KEY}${key}` }),
};

/** The engine notes the session's cookie with a request, and never reads it again. */
function withoutCookie(payload: AdapterPayload): AdapterPayload {
  if (typeof payload.session !== "object" || !("cookie" in payload.session)) return payload;
  const { cookie: _, ...session } = payload.session;
  return { ...payload, session };
}
