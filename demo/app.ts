import { once } from "node:events";
import { createServer } from "node:http";
import { createRegistrationClient } from "./registration-client.ts";
import { createRelyingParty } from "./relying-party.ts";
import { createRoutes } from "./routes.ts";
import { createSessions } from "./sessions.ts";
import { createSettingsClient } from "./settings-client.ts";

type DemoAppOptions = {
  /** Issuer URL of the provider, e.g. http://localhost:3000. */
  issuer: string;
  /** Display name of the provider on the pages. */
  issuerName?: string;
  port: number;
  /** Address to listen on. Default: 127.0.0.1. */
  host?: string;
  clientId: string;
  clientSecret: string;
  /** Allows an http issuer, for a provider on this machine. */
  allowInsecure: boolean;
};

/** URLs of the application, as they are registered at the provider. */
type DemoAppUris = {
  url: string;
  redirectUri: string;
  postLogoutRedirectUri: string;
  registrationUrl: string;
  settingsReturnUri: string;
};

export type DemoApp = DemoAppUris & { close(): Promise<void> };

/** Returns the URLs of the application on this port. */
export function demoAppUris(port: number): DemoAppUris {
  const url = `http://localhost:${port}`;
  return {
    url,
    redirectUri: `${url}/callback`,
    postLogoutRedirectUri: `${url}/signed-out`,
    registrationUrl: `${url}/join`,
    settingsReturnUri: `${url}/`,
  };
}

/**
 * Starts "Broker Desk", a small application whose users sign in with an OpenID provider: authorization code with PKCE,
 * state and nonce, verified ID token, userinfo, refresh, and logout at both. Rejects when the port is in use.
 */
export async function startDemoApp(options: DemoAppOptions): Promise<DemoApp> {
  const uris = demoAppUris(options.port);
  const app = createRoutes({
    url: uris.url,
    issuer: options.issuer,
    issuerName: options.issuerName ?? "Gatehouse",
    relyingParty: createRelyingParty({ ...options, ...uris }),
    registration: createRegistrationClient(options),
    settings: createSettingsClient({ ...options, url: uris.url }),
    sessions: createSessions(),
  });
  const server = createServer(app);
  server.listen(options.port, options.host ?? "127.0.0.1");
  await once(server, "listening");
  return {
    ...uris,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
