import { afterAll } from "vitest";
import { PROVIDER_NAMES } from "#app/config/providers.ts";
import { SCOPES } from "#app/domain/scope/scopes.ts";
import type { ServerOptions, TestUser } from "#tests/support/server.ts";
import {
  type BrowserUser,
  type BrowserUserOptions,
  type ClientApp,
  type Installation,
  startInstallation,
} from "./installation.ts";
import { signInAt } from "./pages.ts";
import { seedSession } from "./session.ts";
import { PRODUCT } from "./texts.ts";

/** The server and the applications that the page checks use. */
export type PageSetup = {
  installation: Installation;
  /** Third party with a home page: asks for consent, and pages show a header. */
  clientApp: ClientApp;
  /** First party: no consent. */
  own: ClientApp;
  /** First party without a home page: pages show no header. */
  plain: ClientApp;
  /** External URLs to which pages lead on purpose. */
  others: readonly string[];
  close(): Promise<void>;
};

/** A user at a page. */
export type Visit = PageSetup & { anna: BrowserUser; user: TestUser };

/** Long names, to test the layout. */
const LONG_CLIENT = "Bestandsübertragungsassistent für Versicherungsmakler";
const LONG_DISPLAY_NAME = "Dr. Anna-Katharina Freifrau von Württemberg-Hohenzollern";

/** Starts the setup for the tests of this file, with `await` at the top of the file. */
export async function pageSetupOfFile(): Promise<PageSetup> {
  const setup = await createPageSetup();
  afterAll(() => setup.close());
  return setup;
}

export async function createPageSetup(options: Pick<ServerOptions, "env"> = {}): Promise<PageSetup> {
  // Offers to remember devices, which pages then list, and changes of the profile.
  const env = { MFA_REMEMBER_DAYS: "30", PROFILE_CHANGES: "name,email,phone", ...options.env };
  const installation = await startInstallation({ env });
  const policyUri = "https://desk.example/policy";
  const [clientApp, own, plain] = await Promise.all([
    installation.openClientApp({ name: LONG_CLIENT, policyUri, scopes: ALL_SCOPES }),
    installation.openClientApp({ name: "Broker Desk", firstParty: true }),
    installation.openClientApp({ name: "Archive", firstParty: true, clientUri: null }),
  ]);
  return { installation, clientApp, own, plain, others: [], close: installation.close };
}

/** All scopes but `orders`, which this application may not request. */
export const ALL_SCOPES = SCOPES.map(({ id }) => id).filter((id) => id !== "orders");

export async function openVisit<Place extends PageSetup>(
  setup: Place,
  options: BrowserUserOptions,
): Promise<Place & Visit> {
  const anna = await setup.installation.open(options);
  return { ...setup, anna, user: await createVisitor(setup) };
}

export function createVisitor({ installation }: PageSetup): Promise<TestUser> {
  return installation.server.users.create({ displayName: LONG_DISPLAY_NAME });
}

/** Opens the first-party application with Anna signed in, without the sign-in page. */
export async function openSignedIn({ anna, own, user, installation }: Visit): Promise<void> {
  await seedSession(installation, anna, user);
  await anna.page.goto(`${own.url}/sign-in`);
}

/** Signs Anna in at the first-party application. */
export async function signInToClient({ anna, own, user }: Visit): Promise<void> {
  await signInAt(anna, `${own.url}/sign-in`, user);
  await anna.page.waitForURL(`${own.url}/`);
}

/** Names and values that are allowed in any language. */
export function namesIn({ user, clientApp, own, plain }: Visit): string[] {
  const hosts = [clientApp, own, plain].map(({ url }) => new URL(url).host);
  const names = [PRODUCT, LONG_CLIENT, "Broker Desk", "Archive", user.displayName, user.username];
  return [...names, ...Object.values(PROVIDER_NAMES), ...hosts];
}
