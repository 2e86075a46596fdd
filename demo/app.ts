import { once } from "node:events";
import { createServer } from "node:http";
import { createRegistrar } from "./registration-client.ts";
import { createRelyingParty } from "./relying-party.ts";
import { createDesk } from "./routes.ts";
import { createSessions } from "./sessions.ts";
import { createSettingsDoor } from "./settings-client.ts";

export type DemoAppOptions = {
  /** The provider, e.g. http://localhost:3000. */
  issuer: string;
  /** What the provider is called on the pages. */
  issuerName?: string;
  port: number;
  /** Where to listen; only this machine unless another address is given. */
  host?: string;
  clientId: string;
  clientSecret: string;
  /** Allows an http issuer: for a provider on this machine. */
  allowInsecure: boolean;
};

/** Where the application is, and what has to be registered for it at the provider. */
export type DemoAppUris = {
  url: string;
  redirectUri: string;
  postLogoutRedirectUri: string;
  registrationUrl: string;
  /** Where the login settings lead back to. */
  settingsReturnUri: string;
};

export type DemoApp = DemoAppUris & { close(): Promise<void> };

/** The addresses that the application has on this port. */
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
 * state and nonce, verified ID token, userinfo, refresh, and sign-out at both. Rejects when the port is taken.
 */
export async function startDemoApp(options: DemoAppOptions): Promise<DemoApp> {
  const uris = demoAppUris(options.port);
  const app = createDesk({
    url: uris.url,
    issuer: options.issuer,
    issuerName: options.issuerName ?? "Gatehouse",
    relyingParty: createRelyingParty({ ...options, ...uris }),
    registrar: createRegistrar(options),
    settings: createSettingsDoor({ ...options, url: uris.url }),
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
