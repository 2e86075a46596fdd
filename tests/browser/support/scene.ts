import { PROVIDERS } from "#app/domain/external-account/providers.ts";
import { providerName } from "#app/ui/provider-name.ts";
import type { ServerOptions, TestUser } from "#tests/support/server.ts";
import { type Desk, type Office, openOffice, type Person, type PersonOptions } from "./installation.ts";
import { signInAt } from "./pages.ts";
import { PRODUCT } from "./texts.ts";

/** The server and the applications that the page checks use. */
export type Scene = {
  office: Office;
  /** Third party with a home page: asks for consent, and pages show a header. */
  desk: Desk;
  /** First party: no consent. */
  own: Desk;
  /** First party without a home page: pages show no header. */
  plain: Desk;
  /** External URLs to which pages lead on purpose. */
  others: readonly string[];
  close(): Promise<void>;
};

/** A user at a page. */
export type Visit = Scene & { anna: Person; user: TestUser };

/** Long names, to test the layout. */
const LONG_CLIENT = "Bestandsübertragungsassistent für Versicherungsmakler";
const LONG_PERSON = "Dr. Anna-Katharina Freifrau von Württemberg-Hohenzollern";

export async function openScene(options: Pick<ServerOptions, "env"> = {}): Promise<Scene> {
  const office = await openOffice(options);
  const policyUri = "https://desk.example/policy";
  const [desk, own, plain] = await Promise.all([
    office.openDesk({ name: LONG_CLIENT, policyUri, scopes: ALL_SCOPES }),
    office.openDesk({ name: "Broker Desk", firstParty: true }),
    office.openDesk({ name: "Archive", firstParty: true, clientUri: null }),
  ]);
  return { office, desk, own, plain, others: [], close: office.close };
}

/** One scope of each kind, for all kinds of rows on the consent page. */
export const ALL_SCOPES = ["openid", "profile", "email", "address", "phone", "offline", "tasks", "bipro_subscriptions"];

export async function beginVisit<Place extends Scene>(scene: Place, options: PersonOptions): Promise<Place & Visit> {
  const anna = await scene.office.open(options);
  const user = await scene.office.server.users.create({ displayName: LONG_PERSON });
  return { ...scene, anna, user };
}

/** Signs Anna in at the first-party application. */
export async function beSignedIn({ anna, own, user }: Visit): Promise<void> {
  await signInAt(anna, `${own.url}/sign-in`, user);
  await anna.page.waitForURL(`${own.url}/`);
}

/** Names and values that are allowed in any language. */
export function namesIn({ user, desk, own, plain }: Visit): string[] {
  const hosts = [desk, own, plain].map(({ url }) => new URL(url).host);
  const names = [PRODUCT, LONG_CLIENT, "Broker Desk", "Archive", user.displayName, user.username];
  return [...names, ...PROVIDERS.map(providerName), ...hosts];
}
