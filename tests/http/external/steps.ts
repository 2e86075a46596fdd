import type { Provider } from "#app/config/providers.ts";
import { followRedirects, open } from "#tests/http/oidc/browser-steps.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import type { TestUpstream } from "#tests/support/upstream.ts";

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
  if (!form) {
    throw new Error(`expected a form from the provider, got ${response.status}: ${response.body.slice(0, 500)}`);
  }
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
