// Reference: oidc-provider with one client, a plain SQLite adapter (WAL, synchronous FULL as in the product) and a
// sign-in by one JSON POST. No pages, users, passwords, audit events or additional headers.
// Environment: ISSUER, PORT, DATABASE_FILE, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI.
import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import Database from "better-sqlite3";
import {
  type Adapter,
  type AdapterPayload,
  type Configuration,
  type KoaContextWithOIDC,
  Provider,
} from "oidc-provider";

const { ISSUER = "", PORT, DATABASE_FILE, CLIENT_ID = "", CLIENT_SECRET = "", REDIRECT_URI = "" } = process.env;
const INTERACTION = "/interaction/";

const database = new Database(DATABASE_FILE);
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");
database.exec(`
  CREATE TABLE IF NOT EXISTS records (
    model TEXT NOT NULL, id TEXT NOT NULL, payload TEXT NOT NULL, grant_id TEXT, uid TEXT, expires_at INTEGER,
    PRIMARY KEY (model, id)
  );
  CREATE INDEX IF NOT EXISTS records_grant ON records (grant_id);
  CREATE INDEX IF NOT EXISTS records_uid ON records (uid);
`);
const statements = {
  upsert: database.prepare("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?)"),
  find: database.prepare<unknown[], { payload: string }>("SELECT payload FROM records WHERE model = ? AND id = ?"),
  findByUid: database.prepare<unknown[], { payload: string }>(
    "SELECT payload FROM records WHERE model = ? AND uid = ?",
  ),
  destroy: database.prepare("DELETE FROM records WHERE model = ? AND id = ?"),
  consume: database.prepare(
    "UPDATE records SET payload = json_set(payload, '$.consumed', ?) WHERE model = ? AND id = ?",
  ),
  revoke: database.prepare("DELETE FROM records WHERE model = ? AND grant_id = ?"),
};

function adapter(model: string): Adapter {
  const now = () => Math.floor(Date.now() / 1000);
  const read = (row: { payload: string } | undefined): AdapterPayload | undefined => row && JSON.parse(row.payload);
  return {
    async upsert(id, payload, expiresIn = 0) {
      const { grantId = null, uid = null } = payload;
      statements.upsert.run(model, id, JSON.stringify(payload), grantId, uid, now() + expiresIn);
    },
    find: async (id) => read(statements.find.get(model, id)),
    findByUid: async (uid) => read(statements.findByUid.get(model, uid)),
    findByUserCode: async () => undefined,
    async destroy(id) {
      statements.destroy.run(model, id);
    },
    async consume(id) {
      statements.consume.run(now(), model, id);
    },
    async revokeByGrantId(grantId) {
      statements.revoke.run(model, grantId);
    },
  };
}

/** Grants all requested scopes, as oidc-provider's documentation shows for first-party clients. */
async function grantAll({ oidc }: KoaContextWithOIDC) {
  const { client, session, params } = oidc;
  if (!client || !session) return undefined;
  const known = session.grantIdFor(client.clientId);
  if (known) return oidc.provider.Grant.find(known);
  const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId ?? "" });
  grant.addOIDCScope(String(params?.scope));
  await grant.save();
  return grant;
}

const configuration: Configuration = {
  adapter,
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [REDIRECT_URI],
      grant_types: ["authorization_code", "refresh_token"],
    },
  ],
  jwks: {
    keys: [generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" })].map((key) => ({
      ...key,
      kty: "RSA",
      alg: "RS256",
      use: "sig",
      kid: "bench",
    })),
  },
  cookies: { keys: ["a cookie key that only the bench knows"] },
  claims: { openid: ["sub"], profile: ["name", "preferred_username"], email: ["email", "email_verified"] },
  findAccount: (_ctx, accountId) => ({
    accountId,
    claims: () => ({
      sub: accountId,
      name: accountId,
      preferred_username: accountId,
      email: `${accountId}@office.example`,
    }),
  }),
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_ctx, { uid }) => `${INTERACTION}${uid}` },
  pkce: { required: () => true },
  loadExistingGrant: grantAll,
  scopes: ["openid", "offline"],
  issueRefreshToken: (_ctx, _client, code) => code.scopes.has("offline"),
  rotateRefreshToken: () => true,
};

const provider = new Provider(ISSUER, configuration);
const engine = provider.callback();

createServer((request, response) => {
  if (request.url === "/readyz") return response.end();
  if (request.url?.startsWith(INTERACTION)) return signIn(request, response);
  return engine(request, response);
}).listen(Number(PORT), "127.0.0.1");

async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { login }: { login: string } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  await provider.interactionFinished(request, response, { login: { accountId: login } });
}
