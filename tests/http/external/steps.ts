import { afterAll } from "vitest";
import type { Provider } from "#app/config/providers.ts";
import { addExternalAccount } from "#app/db/repositories/external-accounts.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { ExternalAccount } from "#app/db/schema.server.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import type { FakeProviderUser } from "#demo/fake-provider/types.ts";
import { followRedirects, open } from "#tests/http/oidc/browser-steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import { freePort } from "#tests/support/free-port.ts";
import { startServer, type TestServer } from "#tests/support/server.ts";
import { startUpstream, type TestUpstream } from "#tests/support/upstream.ts";

export type ExternalSetup = {
  server: TestServer;
  upstream: Readonly<Record<Provider, TestUpstream>>;
  close(): Promise<void>;
};

/** Starts the product with three fake providers for the tests of this file, with `await` at the top of the file. */
export async function providersOfFile(env?: Record<string, string>): Promise<ExternalSetup> {
  const setup = await startWithProviders(env);
  afterAll(() => setup.close());
  return setup;
}

/** Starts the product with three fake providers. */
export async function startWithProviders(env: Record<string, string> = {}): Promise<ExternalSetup> {
  const port = await freePort();
  const appUrl = `http://localhost:${port}`;
  const start = (name: Provider) => startUpstream(name, { appUrl });
  const [google, microsoft, apple] = [await start("google"), await start("microsoft"), await start("apple")];
  const server = await startServer({
    env: { ISSUER: appUrl, PORT: String(port), ...google.env, ...microsoft.env, ...apple.env, ...env },
  });
  return {
    server,
    upstream: { google, microsoft, apple },
    async close() {
      await server.close();
      await Promise.all([google.close(), microsoft.close(), apple.close()]);
    },
  };
}

let userCount = 0;

/** Adds a new user at the provider. */
export function addProviderUser(upstream: TestUpstream, changes: Partial<FakeProviderUser> = {}): FakeProviderUser {
  userCount += 1;
  const user = {
    sub: `${upstream.name}-${userCount}`,
    name: `Eva Brandt ${userCount}`,
    email: `eva-${userCount}@${upstream.name}.example`,
    email_verified: true,
    ...changes,
  };
  upstream.users.push(user);
  return user;
}

/** Links a provider's account to a user, like the settings. */
export async function connect(
  { context }: TestServer,
  upstream: TestUpstream,
  { sub }: Pick<FakeProviderUser, "sub">,
  userId: string,
  changes: Partial<ExternalAccount> = {},
): Promise<void> {
  const user = await findUser(context.store, userId);
  const { name: provider, issuer } = upstream;
  const added = await addExternalAccount(context.store, {
    id: newId(context.random),
    userId,
    provider,
    issuer,
    subject: sub,
    groupKey: user?.groupId ?? "",
    linkedAt: context.clock.now(),
    ...changes,
  });
  if (!added) throw new Error("not connected");
}

/** Returns the sign-in page's link to a provider; throws if there is none. */
export function linkTo(page: HttpResponse, provider: Provider): string {
  const [link] = page
    .page()
    .all("a")
    .filter(({ attributes }) => attributes.href?.startsWith(`/login/${provider}?`));
  if (!link?.attributes.href) throw new Error(`no link to ${provider}: ${page.status} ${page.body.slice(0, 1000)}`);
  return link.attributes.href;
}

/** Presses the provider's button on the sign-in page of this request; returns the provider's page. */
export async function goToProvider(browser: Browser, url: string, provider: Provider): Promise<HttpResponse> {
  const page = await open(browser, url);
  return browser.follow(await browser.get(linkTo(page, provider)));
}

/** Chooses a user on a provider's page ("" cancels); returns the redirect or form that leads back to us. */
export async function chooseUser(browser: Browser, page: HttpResponse, sub: string): Promise<HttpResponse> {
  let response = await browser.post(page.url, { sub });
  for (let steps = 0; steps < 5; steps += 1) {
    if (response.location === null || response.location.includes("/callback?")) return response;
    response = await browser.get(response.location);
  }
  throw new Error(
    `the provider redirects neither to the callback nor to a page: ${response.status} ${response.location}`,
  );
}

/** Returns to us with a provider's response: a redirect, or a form that is posted across sites. */
export async function returnFromProvider(browser: Browser, response: HttpResponse): Promise<HttpResponse> {
  if (response.location !== null) return open(browser, response.location);
  return followRedirects(
    browser,
    await browser.get((await postToCallback(browser, response)).location ?? "about:blank"),
  );
}

/** Posts a provider's response across sites, without our cookies. */
export function postToCallback(browser: Browser, response: HttpResponse): Promise<HttpResponse> {
  const [form] = response.page().forms();
  if (!form)
    throw new Error(`expected a form from the provider, got ${response.status}: ${response.body.slice(0, 500)}`);
  return browser.post(form.action, Object.fromEntries(form.fields), {
    headers: { origin: new URL(response.url).origin, "sec-fetch-site": "cross-site", cookie: "" },
  });
}

/** Signs in at a provider; returns the final page of the product or the redirect to the application. */
export async function signInAt(
  browser: Browser,
  url: string,
  upstream: TestUpstream,
  sub: string,
): Promise<HttpResponse> {
  const page = await goToProvider(browser, url, upstream.name);
  return returnFromProvider(browser, await chooseUser(browser, page, sub));
}
