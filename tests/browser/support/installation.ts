import { afterAll } from "vitest";
import type { NewClientInput } from "#app/domain/client/new-client.ts";
import type { Language } from "#app/i18n/language.ts";
import { type BrowserSession, type Chromium, type ContextOptions, startChromium } from "#tests/support/chromium.ts";
import { createOpenidClientApp } from "#tests/support/relying-parties/openid-client-app.ts";
import { openPlace } from "#tests/support/relying-parties/place.ts";
import { type ServerOptions, startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { type Texts, textsIn } from "./texts.ts";

/** A user with a browser. */
export type BrowserUser = BrowserSession & {
  language: Language;
  /** The product's texts in the user's language. */
  t: Texts;
  /** All requested URLs, in order. */
  requests: readonly string[];
  /** The HTTP status of the current page; 0 before the first one. */
  status(): number;
};

export type BrowserUserOptions = ContextOptions & { language?: Language };

/** A registered application with its server. */
export type ClientApp = { url: string; clientId: string; redirectUri: string };

/** The product, a real browser and applications, shared by all tests of a file. */
export type Installation = {
  server: TestServer;
  chromium: Chromium;
  /** Opens a confidential client on another site, built on openid-client. */
  openClientApp(changes?: Partial<NewClientInput>): Promise<ClientApp>;
  /** Opens a browser for another user. */
  open(options?: BrowserUserOptions): Promise<BrowserUser>;
  createUser(): Promise<TestUser>;
  close(): Promise<void>;
};

/** Starts an installation for the tests of this file, with `await` at the top of the file, and stops it after them. */
export async function installationOfFile(options?: Omit<ServerOptions, "now">): Promise<Installation> {
  const installation = await startInstallation(options);
  afterAll(() => installation.close());
  return installation;
}

export async function startInstallation(options: Omit<ServerOptions, "now"> = {}): Promise<Installation> {
  const [server, chromium] = await Promise.all([startServer({ ...options, now: "running" }), startChromium()]);
  const closers: (() => Promise<void>)[] = [];
  return {
    server,
    chromium,
    async openClientApp(changes) {
      const { close, ...clientApp } = await openClientApp(server, changes);
      closers.push(close);
      return clientApp;
    },
    open: (userOptions) => openBrowserUser(chromium, userOptions),
    createUser: () => server.users.create(),
    async close() {
      await chromium.close();
      for (const close of closers) await close();
      await server.close();
    },
  };
}

/** Registers a client and starts the application's server. */
export async function openClientApp(
  server: TestServer,
  changes: Partial<NewClientInput> = {},
): Promise<ClientApp & { close(): Promise<void> }> {
  const { url, serve, close } = await openPlace();
  const redirectUri = `${url}/callback`;
  const { clientId, clientSecret } = await server.clients.create({
    name: "Broker Desk",
    clientUri: `${url}/`,
    scopes: CLIENT_SCOPES,
    redirectUris: [redirectUri],
    postLogoutRedirectUris: [`${url}/signed-out`],
    ...changes,
  });
  serve(await createOpenidClientApp({ issuer: server.url, url, clientId, clientSecret: clientSecret ?? "" }));
  return { url, clientId, redirectUri, close };
}

const CLIENT_SCOPES = ["openid", "profile", "email", "offline", "offline_access", "tasks", "reports"];

/** Reports policy violations by script; with JavaScript off, the browser's console contains them. */
const REPORT_VIOLATIONS = `addEventListener("securitypolicyviolation", (event) =>
  console.error("policy violated: " + event.violatedDirective + " " + event.blockedURI));`;

async function openBrowserUser(
  chromium: Chromium,
  { language = "en", ...options }: BrowserUserOptions = {},
): Promise<BrowserUser> {
  const locale = language === "de" ? "de-DE" : "en-GB";
  const opened = await chromium.open({ locale, ...options });
  await opened.context.addInitScript(REPORT_VIOLATIONS);
  const requests: string[] = [];
  opened.context.on("request", (request) => requests.push(request.url()));
  let status = 0;
  opened.page.on("response", (response) => {
    const request = response.request();
    const { pathname } = new URL(response.url());
    // The settings post their forms without a document load; redirects are 303, or 202 without a document load.
    const isPage = request.isNavigationRequest() || (request.method() === "POST" && pathname.endsWith(".data"));
    if (isPage && ![202, 303].includes(response.status())) status = response.status();
  });
  return { ...opened, language, t: textsIn(language), requests, status: () => status };
}
