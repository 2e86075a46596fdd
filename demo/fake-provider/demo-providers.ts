import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { createFakeProvider, type FakeProvider } from "./fake-provider.ts";
import { FAKE_PROVIDER_USERS } from "./users.ts";

/** The three fake providers of the demo, not yet listening. */
export type FakeProviders = {
  /** Environment variables that configure Gatehouse for these providers. */
  env: Readonly<Record<string, string>>;
  issuers: Readonly<Record<"google" | "microsoft" | "apple", string>>;
  url: string;
  /** Starts listening. Rejects when the port is in use. */
  start(): Promise<{ close(): Promise<void> }>;
};

/** Example ids: a Microsoft tenant, an Apple team and an Apple key. */
const TENANT = "3f0f6f1e-54a4-4d5e-9a52-2f1f0c7e8b11";
const TEAM_ID = "DEMOTEAM01";
const KEY_ID = "DEMOKEY001";

/** Creates the fake providers on one local port. Their keys and secrets are generated for this process. */
export async function prepareFakeProviders({
  port,
  serviceUrl,
}: {
  port: number;
  serviceUrl: string;
}): Promise<FakeProviders> {
  const url = `http://localhost:${port}`;
  const issuers = { google: `${url}/google`, microsoft: `${url}/${TENANT}/v2.0`, apple: `${url}/apple` };
  const jwk = await signingKey();
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const publicKeyPem = publicKey.export({ type: "spki", format: "pem" }).toString();
  const secrets = { google: randomText(), microsoft: randomText() };
  const createProvider = (kind: "google" | "microsoft" | "apple", name: string) => {
    const clientId = clientIdAt(kind);
    const signed = { publicKeyPem, keyId: KEY_ID, teamId: TEAM_ID, clientId, audience: issuers.apple };
    return createFakeProvider({
      name,
      issuer: issuers[kind],
      client: {
        id: clientId,
        redirectUri: `${serviceUrl}/login/${kind}/callback`,
        secret: kind === "apple" ? signed : secrets[kind],
      },
      users: FAKE_PROVIDER_USERS[kind],
      keys: [jwk],
      cookieKey: randomText(),
      cancelledError: kind === "apple" ? "user_cancelled_authorize" : "access_denied",
      postsName: kind === "apple",
    });
  };
  return {
    env: {
      GOOGLE_ISSUER: issuers.google,
      GOOGLE_CLIENT_ID: clientIdAt("google"),
      GOOGLE_CLIENT_SECRET: secrets.google,
      MICROSOFT_ISSUER: issuers.microsoft,
      MICROSOFT_CLIENT_ID: clientIdAt("microsoft"),
      MICROSOFT_CLIENT_SECRET: secrets.microsoft,
      APPLE_ISSUER: issuers.apple,
      APPLE_CLIENT_ID: clientIdAt("apple"),
      APPLE_TEAM_ID: TEAM_ID,
      APPLE_KEY_ID: KEY_ID,
      APPLE_PRIVATE_KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    },
    issuers,
    url,
    start: () =>
      listen(port, [
        createProvider("google", "Google"),
        createProvider("microsoft", "Microsoft"),
        createProvider("apple", "Apple"),
      ]),
  };
}

function clientIdAt(kind: string): string {
  return `gatehouse-demo-${kind}`;
}

async function signingKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: randomText(), use: "sig", alg: "RS256" };
}

function randomText(): string {
  return randomBytes(24).toString("base64url");
}

async function listen(port: number, fakeProviders: readonly FakeProvider[]): Promise<{ close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    for (const fakeProvider of fakeProviders) if (await fakeProvider.handle(request, response)) return;
    response.writeHead(404).end();
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
