import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import type { Provider } from "#app/config/providers.ts";
import { createFakeProvider, type FakeProvider } from "#demo/fake-provider/fake-provider.ts";
import type { FakeProviderUser } from "#demo/fake-provider/types.ts";
import { freePort } from "./free-port.ts";

type TokenResponse = { status: number; body: object };

/** Faults of a provider; can be changed between sign-ins. */
export type Faults = {
  /** Changes the claims of ID tokens. */
  claims?: (claims: Record<string, unknown>) => Record<string, unknown>;
  /** Creates ID tokens from the claims. */
  idToken?: (claims: Record<string, unknown>, key: { jwk: JWK; kid: string }) => Promise<string> | string;
  /** Response of the token endpoint; "silence" sends none. */
  token?: TokenResponse | "silence";
  /** Responds with a body of 320 MB, generated as it is read. */
  flood?: { at: Flooded; encoding: "identity" | "gzip" };
  /** Changes the discovery document. */
  discovery?: (document: Record<string, unknown>) => Record<string, unknown>;
};

/** Endpoints that can be flooded. */
export type Flooded = "discovery" | "keys" | "token";

/** An OpenID provider over HTTP that replaces Google, Microsoft or Apple. */
export type TestUpstream = {
  name: Provider;
  issuer: string;
  /** Environment variables that configure a server for this provider. */
  env: Readonly<Record<string, string>>;
  users: FakeProviderUser[];
  /** Number of requests per endpoint. */
  counts: { discovery: number; keys: number; token: number };
  /** Bytes sent by all floods, after compression. */
  flooded(): number;
  setFaults(faults: Faults): void;
  /** Removes all faults. */
  clearFaults(): void;
  close(): Promise<void>;
};

const TENANT = "8f2c1f5e-6a6b-4c0e-9d53-0c5b6f1f7a10";
const PATHS = { google: "/google", microsoft: `/${TENANT}/v2.0`, apple: "/apple" } as const;
const APPLE = { teamId: "TEAM123456", keyId: "KEY1234567" };

const signing = generateKeyPair("RS256", { extractable: true }).then(({ privateKey }) => exportJWK(privateKey));

/** Starts a provider for an installation with a known URL. */
export async function startUpstream(name: Provider, { appUrl }: { appUrl: string }): Promise<TestUpstream> {
  const port = await freePort();
  const issuer = `http://localhost:${port}${PATHS[name]}`;
  const jwk: JWK = { ...(await signing), kid: `${name}-key-1`, use: "sig", alg: "RS256" };
  const clientId = `gatehouse-at-${name}`;
  const redirectUri = `${appUrl}/login/${name}/callback`;
  const users: FakeProviderUser[] = [];
  const apple = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = apple.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const publicKeyPem = apple.publicKey.export({ type: "spki", format: "pem" }).toString();
  const clientSecret = randomBytes(24).toString("base64url");
  const secret = name === "apple" ? { publicKeyPem, ...APPLE, clientId, audience: issuer } : clientSecret;
  const fakeProvider = createFakeProvider({
    name,
    issuer,
    client: { id: clientId, redirectUri, secret },
    users: users,
    keys: [jwk],
    cookieKey: randomBytes(24).toString("base64url"),
    cancelledError: name === "apple" ? "user_cancelled_authorize" : "access_denied",
    postsName: name === "apple",
  });
  const counts = { discovery: 0, keys: 0, token: 0 };
  let faults: Faults = {};
  let sent = 0;
  watch(fakeProvider, { counts, faults: () => faults, jwk });
  const server = createServer(async (request, response) => {
    const { url = "" } = request;
    if (faults.flood && url.startsWith(PATHS[name]) && FLOODED[faults.flood.at].test(url)) {
      sent += await sendFlood(response, faults.flood.encoding);
      return;
    }
    const isToken = url.startsWith(`${PATHS[name]}/token`);
    if (isToken) counts.token += 1;
    const token = isToken ? faults.token : undefined;
    if (token === "silence") return;
    if (token) {
      response.writeHead(token.status, { "content-type": "application/json" });
      response.end(JSON.stringify(token.body));
      return;
    }
    if (!(await fakeProvider.handle(request, response))) response.writeHead(404).end();
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const prefix = name.toUpperCase();
  return {
    name,
    issuer,
    env: {
      [`${prefix}_ISSUER`]: issuer,
      [`${prefix}_CLIENT_ID`]: clientId,
      ...(name === "apple"
        ? { APPLE_TEAM_ID: APPLE.teamId, APPLE_KEY_ID: APPLE.keyId, APPLE_PRIVATE_KEY: pem }
        : { [`${prefix}_CLIENT_SECRET`]: clientSecret }),
    },
    users,
    counts,
    flooded: () => sent,
    setFaults: (next) => {
      faults = next;
    },
    clearFaults: () => {
      faults = {};
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const FLOODED: Readonly<Record<Flooded, RegExp>> = {
  discovery: /openid-configuration$/,
  keys: /\/jwks$/,
  token: /\/token$/,
};

const CHUNK_BYTES = 4 * 1024 * 1024;
const CHUNKS = 80;

/** Sends an endless JSON body while it is read. Resolves to the number of sent bytes. */
async function sendFlood(response: ServerResponse, encoding: "identity" | "gzip"): Promise<number> {
  const chunk = Buffer.alloc(CHUNK_BYTES, " ");
  // A gzip stream may have several members; each is about 4 KB compressed and 4 MB decompressed.
  const bytes = encoding === "gzip" ? gzipSync(chunk) : chunk;
  response.writeHead(200, {
    "content-type": "application/json",
    ...(encoding === "gzip" ? { "content-encoding": "gzip" } : {}),
  });
  const stopped = new AbortController();
  response.once("close", () => stopped.abort());
  let count = 0;
  for (; count < CHUNKS && !stopped.signal.aborted; count += 1) {
    if (response.write(bytes)) await setImmediate();
    else await once(response, "drain", { signal: stopped.signal }).catch(() => {});
  }
  if (!stopped.signal.aborted) response.end();
  return count * bytes.length;
}

type Watched = { counts: TestUpstream["counts"]; faults: () => Faults; jwk: JWK };

/** Counts requests and applies the faults to responses. */
function watch({ provider }: FakeProvider, { counts, faults, jwk }: Watched): void {
  provider.use(async (ctx, next) => {
    await next();
    const body: unknown = ctx.body;
    if (ctx.path.endsWith("/openid-configuration")) {
      counts.discovery += 1;
      const { discovery } = faults();
      if (discovery) ctx.body = discovery({ ...toRecord(body) });
    }
    if (ctx.path.endsWith("/jwks")) counts.keys += 1;
    const { id_token } = toRecord(body);
    if (typeof id_token === "string") {
      ctx.body = { ...toRecord(body), id_token: await rewriteIdToken(id_token, faults(), jwk) };
    }
  });
}

async function rewriteIdToken(idToken: string, { claims, idToken: make }: Faults, jwk: JWK): Promise<string> {
  if (!claims && !make) return idToken;
  const [, payload = ""] = idToken.split(".");
  const original: Record<string, unknown> = JSON.parse(Buffer.from(payload, "base64url").toString());
  const changed = claims ? claims(original) : original;
  const kid = jwk.kid ?? "";
  return make ? make(changed, { jwk, kid }) : signAs(changed, { jwk, kid });
}

/** Signs an ID token with these claims and this key. */
export async function signAs(
  claims: Record<string, unknown>,
  { jwk, kid, alg = "RS256", header = {} }: { jwk: JWK; kid: string; alg?: string; header?: object },
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ ...header, alg, kid }).sign(await importJWK(jwk, alg));
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
